// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The gradient of a norm whose input lies apart from it.
#include "norm.hpp"

#include "finite_differences.hpp"

namespace prismllm::device {
namespace {

TEST(Norm, GradientHasAShapeOfItsOwn) {
    // Heads of 3 columns: two a token in rows of 7, their gradients side by side.
    const RowShape inside{4, 3, 2, 7};
    const Values in = numbers(14, 1);
    const Values grad = numbers(12, 2);
    const Values scale = numbers(3, 3);
    Values grad_in(12);
    Values grad_scale(3);
    Values none;

    norm_backward(plain_rows(4, 3), grad, inside, in, scale, grad_in, grad_scale, none);

    expect_gradient(
        [&](const Values& v) {
            Values out(12);
            norm_forward(inside, in, v, {}, plain_rows(4, 3), out);
            return out;
        },
        scale, grad, grad_scale);
    Values side_by_side;
    for (const std::ptrdiff_t token : {0, 1}) {
        side_by_side.insert(side_by_side.end(), in.begin() + token * 7, in.begin() + token * 7 + 6);
    }
    // Rows may be short of length 1: third derivatives are larger than those of other ops.
    expect_gradient(
        [&](const Values& v) {
            Values out(12);
            norm_forward(plain_rows(4, 3), v, scale, {}, plain_rows(4, 3), out);
            return out;
        },
        side_by_side, grad, grad_in, 5e-3);
}

}  // namespace
}  // namespace prismllm::device
