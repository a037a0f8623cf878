// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Norms over the hidden dimension of [sharded tokens, hidden], and those over each head.
#pragma once

#include <string_view>

#include "context.hpp"
#include "weights.hpp"

namespace prismllm::program {

/// `in` is kept: the backward pass reads it.
[[nodiscard]] Buffer norm_forward(const Context& context, const Norm& norm, Buffer in,
                                  std::string_view name);
/// Gradient of `in`; adds to the gradients of scale and shift. Keeps all of its operands.
[[nodiscard]] Buffer norm_backward(const Context& context, const Norm& norm, Buffer grad, Buffer in,
                                   std::string_view name);

/// Norms of queries and keys, each head for itself: [tokens, query and key columns].
[[nodiscard]] Buffer head_norms_forward(const Context& context, const LayerWeights& weights,
                                        Buffer qkv);
/// Turns the query and key columns of `grad_qkv` into gradients of `qkv`, in place.
void head_norms_backward(const Context& context, const LayerWeights& weights, Buffer qkv,
                         Buffer grad_qkv);

}  // namespace prismllm::program
