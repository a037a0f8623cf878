// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "norm.hpp"

#include <cmath>
#include <vector>

namespace prismllm::device {
namespace {

struct Moments {
    float mean = 0, inverse = 1;  ///< inverse: 1 / sqrt(variance + epsilon)
};

Moments moments_of(const float* row, std::int64_t columns, bool centered) {
    double sum = 0;
    double squares = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
        sum += static_cast<double>(row[c]);
    }
    const double mean = centered ? sum / static_cast<double>(columns) : 0;
    for (std::int64_t c = 0; c < columns; ++c) {
        const double away = static_cast<double>(row[c]) - mean;
        squares += away * away;
    }
    const double variance = squares / static_cast<double>(columns);
    return {static_cast<float>(mean),
            static_cast<float>(1 / std::sqrt(variance + static_cast<double>(norm_epsilon)))};
}

}  // namespace

void norm_forward(const RowShape& in_shape, In in, In scale, In shift, const RowShape& out_shape,
                  Out out) {
    for_each(in_shape.rows, [=](std::int64_t r) {
        const float* row = in.data() + in_shape.begin(r);
        float* to = out.data() + out_shape.begin(r);
        const Moments m = moments_of(row, in_shape.columns, !shift.empty());
        for (std::int64_t c = 0; c < in_shape.columns; ++c) {
            const auto i = static_cast<std::size_t>(c);
            to[c] = (row[c] - m.mean) * m.inverse * scale[i] + (shift.empty() ? 0.0F : shift[i]);
        }
    });
}

void norm_backward(const RowShape& grad_shape, In grad, const RowShape& in_shape, In in, In scale,
                   Out grad_in, Out grad_scale, Out grad_shift) {
    const bool centered = !grad_shift.empty();
    const std::int64_t columns = in_shape.columns;
    std::vector<Moments> all(static_cast<std::size_t>(in_shape.rows));
    Moments* moments = all.data();
    for_each(in_shape.rows, [=](std::int64_t r) {
        moments[r] = moments_of(in.data() + in_shape.begin(r), columns, centered);
    });
    for_each(columns, [=](std::int64_t c) {
        double to_scale = 0;
        double to_shift = 0;
        for (std::int64_t r = 0; r < in_shape.rows; ++r) {
            const auto g = static_cast<double>(grad.data()[grad_shape.begin(r) + c]);
            const float x = in.data()[in_shape.begin(r) + c];
            to_scale += g * static_cast<double>((x - moments[r].mean) * moments[r].inverse);
            to_shift += g;
        }
        grad_scale[static_cast<std::size_t>(c)] = static_cast<float>(to_scale);
        if (centered) {
            grad_shift[static_cast<std::size_t>(c)] = static_cast<float>(to_shift);
        }
    });
    for_each(in_shape.rows, [=](std::int64_t r) {
        const float* g = grad.data() + grad_shape.begin(r);
        const float* x = in.data() + in_shape.begin(r);
        float* to = grad_in.data() + grad_shape.begin(r);
        const Moments m = moments[r];
        // With y = g scale and n the normed row: inverse (y - mean(y) - n mean(y n)).
        double mean_y = 0;
        double mean_yn = 0;
        for (std::int64_t c = 0; c < columns; ++c) {
            const auto y = static_cast<double>(g[c] * scale[static_cast<std::size_t>(c)]);
            mean_y += y;
            mean_yn += y * static_cast<double>((x[c] - m.mean) * m.inverse);
        }
        mean_y = centered ? mean_y / static_cast<double>(columns) : 0;
        mean_yn /= static_cast<double>(columns);
        for (std::int64_t c = 0; c < columns; ++c) {
            const float y = g[c] * scale[static_cast<std::size_t>(c)];
            const float n = (x[c] - m.mean) * m.inverse;
            to[c] = m.inverse * (y - static_cast<float>(mean_y) - n * static_cast<float>(mean_yn));
        }
    });
}

}  // namespace prismllm::device
