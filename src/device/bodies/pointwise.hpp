// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// One element of what ../pointwise.hpp and ../optimizer_math.hpp state.
#pragma once

#include "prismllm/base/random.hpp"

#include "../shapes.hpp"
#include "portable.hpp"

namespace prismllm::device::bodies {

inline constexpr float gelu_a = 0.7978845608F;  // sqrt(2 / pi)
inline constexpr float gelu_b = 0.044715F;

PRISMLLM_PORTABLE inline float gelu(float x) {
    return 0.5F * x * (1 + std::tanh(gelu_a * (x + gelu_b * x * x * x)));
}

PRISMLLM_PORTABLE inline float gelu_slope(float x) {
    const float t = std::tanh(gelu_a * (x + gelu_b * x * x * x));
    return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * gelu_a * (1 + 3 * gelu_b * x * x);
}

PRISMLLM_PORTABLE inline float sigmoid(float x) {
    return 1 / (1 + std::exp(-x));
}

/// @param r, c row and column of the output
template <class In, class Out>
PRISMLLM_PORTABLE void activation_forward(const ActivationShape& shape, std::int64_t r,
                                          std::int64_t c, In in, Out out) {
    const std::int64_t at = r * shape.columns * (shape.gated ? 2 : 1) + c;
    const float x = load(in, at);
    store(out, r * shape.columns + c,
          shape.gated ? x * sigmoid(x) * load(in, at + shape.columns) : gelu(x));
}

template <class In, class Grad, class Out>
PRISMLLM_PORTABLE void activation_backward(const ActivationShape& shape, std::int64_t r,
                                           std::int64_t c, In in, Grad grad, Out grad_in) {
    const std::int64_t at = r * shape.columns * (shape.gated ? 2 : 1) + c;
    const float x = load(in, at);
    const float g = load(grad, r * shape.columns + c);
    if (shape.gated) {
        const float s = sigmoid(x);
        const float up = load(in, at + shape.columns);
        store(grad_in, at, g * up * s * (1 + x * (1 - s)));
        store(grad_in, at + shape.columns, g * x * s);
    } else {
        store(grad_in, at, g * gelu_slope(x));
    }
}

PRISMLLM_PORTABLE inline bool keeps(const DropoutRule& rule, std::int64_t element) {
    const std::int64_t number = rule.first + element;
    const std::int64_t row = number / rule.columns;
    const std::int64_t place = row / rule.samples * rule.columns + number % rule.columns;
    const std::uint64_t sample = rule.first_sample + static_cast<std::uint64_t>(row % rule.samples);
    const std::uint64_t bits =
        random_word(random_word(rule.key, sample), static_cast<std::uint64_t>(place)) >> 40U;
    return static_cast<float>(bits) >= rule.probability * 16777216.0F;  // 24 random bits
}

/// Of what is kept.
PRISMLLM_PORTABLE inline float dropout_factor(const DropoutRule& rule) {
    return 1 / (1 - rule.probability);
}

template <class In, class Out, class Mask>
PRISMLLM_PORTABLE void dropout_forward(const DropoutRule& rule, std::int64_t i, In in, Out out,
                                       Mask mask) {
    const float kept = keeps(rule, i) ? 1.0F : 0.0F;
    store(mask, i, kept);
    store(out, i, load(in, i) * kept * dropout_factor(rule));
}

template <class Grad, class Mask, class Out>
PRISMLLM_PORTABLE void dropout_backward(const DropoutRule& rule, std::int64_t i, Grad grad,
                                        Mask mask, Out grad_in) {
    store(grad_in, i, load(grad, i) * load(mask, i) * dropout_factor(rule));
}

/// @param biases columns of the bias; 0: none
/// @param masked whether there is a mask, and so a dropout
template <class In, class Update, class Bias, class Out, class Mask>
PRISMLLM_PORTABLE void residual_add(const DropoutRule& rule, std::int64_t i, In in, Update update,
                                    Bias bias, std::int64_t biases, Out out, Mask mask,
                                    bool masked) {
    float added = load(update, i) + (biases == 0 ? 0.0F : load(bias, i % biases));
    if (masked) {
        const float kept = keeps(rule, i) ? 1.0F : 0.0F;
        store(mask, i, kept);
        added *= kept * dropout_factor(rule);
    }
    store(out, i, load(in, i) + added);
}

/// Sine and cosine of the angle of pair i at a row.
struct Turn {
    float cosine = 1, sine = 0;
};
PRISMLLM_PORTABLE inline Turn turn_of(const RopeShape& shape, std::int64_t r, std::int64_t i) {
    const double angle =
        static_cast<double>(r / shape.batch) *
        std::pow(static_cast<double>(shape.base),
                 -2.0 * static_cast<double>(i) / static_cast<double>(shape.head_dim));
    return {static_cast<float>(std::cos(angle)),
            static_cast<float>(shape.backward ? -std::sin(angle) : std::sin(angle))};
}

/// Pair i of head h of row r.
template <class Out>
PRISMLLM_PORTABLE void rope(const RopeShape& shape, const Turn& turn, std::int64_t r,
                            std::int64_t h, std::int64_t i, Out in_out) {
    const std::int64_t at = r * shape.row_stride + h * shape.head_dim + i;
    const std::int64_t other = at + shape.head_dim / 2;
    const float a = load(in_out, at);
    const float b = load(in_out, other);
    store(in_out, at, a * turn.cosine - b * turn.sine);
    store(in_out, other, b * turn.cosine + a * turn.sine);
}

/// 1 - beta^step: what the first updates' moments lack.
struct AdamCorrection {
    float first = 1, second = 1;
};
[[nodiscard]] inline AdamCorrection correction_of(const AdamRule& rule) {
    const auto of = [&](float beta) {
        return 1 - static_cast<float>(
                       std::pow(static_cast<double>(beta), static_cast<double>(rule.step)));
    };
    return {of(rule.beta1), of(rule.beta2)};
}

template <class Grad, class Weight, class Moment1, class Moment2>
PRISMLLM_PORTABLE void adam(const AdamRule& rule, const AdamCorrection& correction, std::int64_t i,
                            Grad gradient, Weight weights, Moment1 moment1, Moment2 moment2) {
    const float g = load(gradient, i);
    const float m1 = rule.beta1 * load(moment1, i) + (1 - rule.beta1) * g;
    const float m2 = rule.beta2 * load(moment2, i) + (1 - rule.beta2) * g * g;
    store(moment1, i, m1);
    store(moment2, i, m2);
    const float update = m1 / correction.first / (std::sqrt(m2 / correction.second) + rule.epsilon);
    const float weight = load(weights, i);
    store(weights, i, weight - rule.learning_rate * (update + rule.weight_decay * weight));
}

}  // namespace prismllm::device::bodies
