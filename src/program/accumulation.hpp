// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Gradients that autograd makes as tensors of their own (norms, biases, embedding tables): a
/// hook of Megatron-LM adds each to its main gradient. Weight gradients of linear layers are
/// added by their GEMM.
#pragma once

#include <string_view>

#include "context.hpp"
#include "weights.hpp"

namespace prismllm::program {

/// A gradient of `parameter` in the precision of activations, not yet written.
[[nodiscard]] Buffer allocate_gradient(const Context& context, const Parameter& parameter,
                                       std::string_view name);

/// Main gradient of `parameter` += `gradient`. Consumes `gradient`.
void add_to_main_gradient(const Context& context, const Parameter& parameter, Buffer gradient);

}  // namespace prismllm::program
