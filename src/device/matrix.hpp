// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Products of linear layers, by BLAS. Matrices are row-major; a weight is [columns, inner].
#pragma once

#include "parallel.hpp"
#include "shapes.hpp"

namespace prismllm::device {

/// out [tokens, columns] = in [tokens, inner] x weight^T, plus bias [columns] unless empty.
void linear_forward(const LinearShape& shape, In in, In weight, In bias, Out out);
/// grad_in [tokens, inner] = grad [tokens, columns] x weight
void linear_input_gradient(const LinearShape& shape, In grad, In weight, Out grad_in);
/// gradient [columns, inner] += grad^T x in
void linear_weight_gradient(const LinearShape& shape, In grad, In in, Out gradient);
/// sums [columns] of in [rows, columns] over its rows
void column_sums(In in, Out sums);

/// c = beta c + alpha op(a) op(b); c is [m, n], k is summed over. For products of matrices that
/// lie inside of larger ones: row_stride is the distance of two rows in elements.
struct Matrix {
    const float* data = nullptr;
    std::int64_t row_stride = 0;
    bool transposed = false;
};
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const Matrix& a,
              const Matrix& b, float beta, float* c, std::int64_t c_stride);

}  // namespace prismllm::device
