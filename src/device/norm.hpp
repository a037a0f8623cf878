// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// LayerNorm and RMSNorm over the columns of rows.
#pragma once

#include "parallel.hpp"

namespace prismllm::device {

/// Rows of `columns` elements. Rows of one head of queries or keys lie in groups: row r begins at
/// (r / group) * group_stride + (r % group) * columns. A plain [rows, columns] matrix is one of
/// group 1 and stride `columns`.
struct RowShape {
    std::int64_t rows = 0, columns = 0;
    std::int64_t group = 1, group_stride = 0;

    [[nodiscard]] std::int64_t begin(std::int64_t row) const {
        return row / group * group_stride + row % group * columns;
    }
};
[[nodiscard]] inline RowShape plain_rows(std::int64_t rows, std::int64_t columns) {
    return {rows, columns, 1, columns};
}

/// Added to the variance (or mean square), as in Megatron-LM's default.
inline constexpr float norm_epsilon = 1e-5F;

/// out = (in - mean) / sqrt(variance + epsilon) * scale + shift; an empty `shift` makes it an
/// RMSNorm: in / sqrt(mean square + epsilon) * scale. `in` and `out` have shapes of their own.
void norm_forward(const RowShape& in_shape, In in, In scale, In shift, const RowShape& out_shape,
                  Out out);
/// Gradients of input, scale, and shift (empty for an RMSNorm); all overwritten. `grad` and
/// `grad_in` have the shape `grad_shape` and may be the same memory.
void norm_backward(const RowShape& grad_shape, In grad, const RowShape& in_shape, In in, In scale,
                   Out grad_in, Out grad_scale, Out grad_shift);

}  // namespace prismllm::device
