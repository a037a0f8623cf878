// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "optimizer_math.hpp"

#include <cmath>

#include "bodies/pointwise.hpp"

namespace prismllm::device {

double sum_of_squares(In in) {
    double sum = 0;
    for (const float value : in) {
        sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return sum;
}

bool unscale(float factor, Out in_out) {
    bool finite = true;
    for (float& value : in_out) {
        value *= factor;
        finite = finite && std::isfinite(value);
    }
    return finite;
}

float clip_factor(double squares, float limit) {
    if (limit <= 0) {
        return 1;
    }
    const float factor = limit / (static_cast<float>(std::sqrt(squares)) + 1e-6F);
    return factor >= 1 ? 1 : factor;  // std::min would make 1 of NaN
}

void adam(const AdamRule& rule, In gradient, Out weights, Out moment1, Out moment2) {
    const bodies::AdamCorrection correction = bodies::correction_of(rule);
    for_each(static_cast<std::int64_t>(weights.size()), [=](std::int64_t i) {
        bodies::adam(rule, correction, i, gradient.data(), weights.data(), moment1.data(),
                     moment2.data());
    });
}

}  // namespace prismllm::device
