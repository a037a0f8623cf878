// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "norm.hpp"

#include <vector>

#include "bodies/rows.hpp"

namespace prismllm::device {

void norm_forward(const RowShape& in_shape, In in, In scale, In shift, const RowShape& out_shape,
                  Out out) {
    for_each(in_shape.rows, [=](std::int64_t r) {
        bodies::norm_forward(SerialTeam{}, r, in_shape, in.data(), scale.data(), shift.data(),
                             !shift.empty(), out_shape, out.data());
    });
}

void norm_backward(const RowShape& grad_shape, In grad, const RowShape& in_shape, In in, In scale,
                   Out grad_in, Out grad_scale, Out grad_shift) {
    const bool centered = !grad_shift.empty();
    const std::int64_t columns = in_shape.columns;
    std::vector<bodies::Moments> all(static_cast<std::size_t>(in_shape.rows));
    bodies::Moments* moments = all.data();
    for_each(in_shape.rows, [=](std::int64_t r) {
        moments[r] =
            bodies::moments_of(SerialTeam{}, columns, centered, in.data(), in_shape.begin(r));
    });
    for_each(columns, [=](std::int64_t c) {
        bodies::norm_parameter_gradients(c, grad_shape, grad.data(), in_shape, in.data(), moments,
                                         centered, grad_scale.data(), grad_shift.data());
    });
    for_each(in_shape.rows, [=](std::int64_t r) {
        bodies::norm_backward(SerialTeam{}, r, grad_shape, grad.data(), in_shape, in.data(),
                              scale.data(), moments[r], centered, grad_in.data());
    });
}

}  // namespace prismllm::device
