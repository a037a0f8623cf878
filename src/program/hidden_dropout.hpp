// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Dropout of hidden states [sharded tokens, hidden]; its backward pass needs one byte an element.
#pragma once

#include <string_view>

#include "context.hpp"

namespace prismllm::program {

/// Whether the job drops: behind the embedding and before every residual addition.
[[nodiscard]] bool drops_hidden(const Context& context);

/// A mask to be written by the kernel that drops; nothing where the job does not drop.
[[nodiscard]] Buffer allocate_mask(const Context& context);

/// Gradient of what was dropped by `mask`; `grad` itself where there is no mask. Keeps `grad`,
/// consumes `mask`.
[[nodiscard]] Buffer undropped(const Context& context, Buffer grad, Buffer mask);

}  // namespace prismllm::program
