// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// LayerNorm and RMSNorm over the columns of rows.
#pragma once

#include "parallel.hpp"
#include "shapes.hpp"

namespace prismllm::device {

/// out = (in - mean) / sqrt(variance + epsilon) * scale + shift; an empty `shift` makes it an
/// RMSNorm: in / sqrt(mean square + epsilon) * scale. `in` and `out` have shapes of their own.
void norm_forward(const RowShape& in_shape, In in, In scale, In shift, const RowShape& out_shape,
                  Out out);
/// Gradients of input, scale, and shift (empty for an RMSNorm); all overwritten. `grad` and
/// `grad_in` have the shape `grad_shape` and may be the same memory.
void norm_backward(const RowShape& grad_shape, In grad, const RowShape& in_shape, In in, In scale,
                   Out grad_in, Out grad_scale, Out grad_shift);

}  // namespace prismllm::device
