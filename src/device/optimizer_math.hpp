// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The optimizer's arithmetic on parts of tensors.
#pragma once

#include "parallel.hpp"
#include "shapes.hpp"

namespace prismllm::device {

/// Sum of squares, in double and in order: the same for any number of threads.
[[nodiscard]] double sum_of_squares(In in);
/// Whether all elements are finite; each is multiplied by `factor` on the way.
[[nodiscard]] bool unscale(float factor, Out in_out);
/// min(1, limit / (norm + 1e-6)) as in Megatron-LM; 1 where limit is 0, NaN where the norm is.
[[nodiscard]] float clip_factor(double squares, float limit);

void adam(const AdamRule& rule, In gradient, Out weights, Out moment1, Out moment2);

}  // namespace prismllm::device
