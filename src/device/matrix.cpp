// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <cblas.h>

#include "bodies/rows.hpp"

namespace prismllm::device {

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, float alpha, const Matrix& a,
              const Matrix& b, float beta, float* c, std::int64_t c_stride) {
    const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
    cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
                b.transposed ? CblasTrans : CblasNoTrans, narrow(m), narrow(n), narrow(k), alpha,
                a.data, narrow(a.row_stride), b.data, narrow(b.row_stride), beta, c,
                narrow(c_stride));
}

void linear_forward(const LinearShape& shape, In in, In weight, In bias, Out out) {
    const auto [tokens, columns, inner] = shape;
    if (!bias.empty()) {
        for_each(tokens, [=](std::int64_t t) {
            for (std::int64_t c = 0; c < columns; ++c) {
                out[static_cast<std::size_t>(t * columns + c)] = bias[static_cast<std::size_t>(c)];
            }
        });
    }
    multiply(tokens, columns, inner, 1, {in.data(), inner}, {weight.data(), inner, true},
             bias.empty() ? 0.0F : 1.0F, out.data(), columns);
}

void linear_input_gradient(const LinearShape& shape, In grad, In weight, Out grad_in) {
    const auto [tokens, columns, inner] = shape;
    multiply(tokens, inner, columns, 1, {grad.data(), columns}, {weight.data(), inner}, 0,
             grad_in.data(), inner);
}

void linear_weight_gradient(const LinearShape& shape, In grad, In in, Out gradient) {
    const auto [tokens, columns, inner] = shape;
    multiply(columns, inner, tokens, 1, {grad.data(), columns, true}, {in.data(), inner}, 1,
             gradient.data(), inner);
}

void column_sums(In in, Out sums) {
    const auto columns = static_cast<std::int64_t>(sums.size());
    const std::int64_t rows = static_cast<std::int64_t>(in.size()) / columns;
    for_each(columns,
             [=](std::int64_t c) { bodies::column_sum(c, rows, columns, in.data(), sums.data()); });
}

}  // namespace prismllm::device
