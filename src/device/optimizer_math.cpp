// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "optimizer_math.hpp"

#include <cmath>

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
    const auto correction = [&](float beta) {
        return 1 - static_cast<float>(
                       std::pow(static_cast<double>(beta), static_cast<double>(rule.step)));
    };
    const float correction1 = correction(rule.beta1);
    const float correction2 = correction(rule.beta2);
    for_each(static_cast<std::int64_t>(weights.size()), [=](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        const float g = gradient[at];
        moment1[at] = rule.beta1 * moment1[at] + (1 - rule.beta1) * g;
        moment2[at] = rule.beta2 * moment2[at] + (1 - rule.beta2) * g * g;
        const float update =
            moment1[at] / correction1 / (std::sqrt(moment2[at] / correction2) + rule.epsilon);
        weights[at] -= rule.learning_rate * (update + rule.weight_decay * weights[at]);
    });
}

}  // namespace prismllm::device
