// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "pointwise.hpp"

#include <cmath>

#include "prismllm/base/random.hpp"

namespace prismllm::device {
namespace {

std::int64_t size(In in) {
    return static_cast<std::int64_t>(in.size());
}

constexpr float gelu_a = 0.7978845608F;  // sqrt(2 / pi)
constexpr float gelu_b = 0.044715F;

float gelu(float x) {
    return 0.5F * x * (1 + std::tanh(gelu_a * (x + gelu_b * x * x * x)));
}

float gelu_slope(float x) {
    const float t = std::tanh(gelu_a * (x + gelu_b * x * x * x));
    return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * gelu_a * (1 + 3 * gelu_b * x * x);
}

float sigmoid(float x) {
    return 1 / (1 + std::exp(-x));
}

bool keeps(const DropoutRule& rule, std::int64_t element) {
    const std::int64_t number = rule.first + element;
    const std::int64_t row = number / rule.columns;
    const std::int64_t place = row / rule.samples * rule.columns + number % rule.columns;
    const std::uint64_t sample = rule.first_sample + static_cast<std::uint64_t>(row % rule.samples);
    const std::uint64_t bits =
        random_word(random_word(rule.key, sample), static_cast<std::uint64_t>(place)) >> 40U;
    return static_cast<float>(bits) >= rule.probability * 16777216.0F;  // 24 random bits
}

}  // namespace

void activation_forward(const ActivationShape& shape, In in, Out out) {
    const std::int64_t columns = shape.columns;
    for_each(shape.rows, [=](std::int64_t r) {
        float* to = out.data() + r * columns;
        const float* x = in.data() + r * columns * (shape.gated ? 2 : 1);
        for (std::int64_t c = 0; c < columns; ++c) {
            to[c] = shape.gated ? x[c] * sigmoid(x[c]) * x[columns + c] : gelu(x[c]);
        }
    });
}

void activation_backward(const ActivationShape& shape, In in, In grad, Out grad_in) {
    const std::int64_t columns = shape.columns;
    for_each(shape.rows, [=](std::int64_t r) {
        const std::int64_t begin = r * columns * (shape.gated ? 2 : 1);
        const float* x = in.data() + begin;
        const float* g = grad.data() + r * columns;
        float* to = grad_in.data() + begin;
        for (std::int64_t c = 0; c < columns; ++c) {
            if (shape.gated) {
                const float s = sigmoid(x[c]);
                to[c] = g[c] * x[columns + c] * s * (1 + x[c] * (1 - s));
                to[columns + c] = g[c] * x[c] * s;
            } else {
                to[c] = g[c] * gelu_slope(x[c]);
            }
        }
    });
}

void dropout_forward(const DropoutRule& rule, In in, Out out, Out mask) {
    const float factor = 1 / (1 - rule.probability);
    for_each(size(in), [=](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        mask[at] = keeps(rule, i) ? 1.0F : 0.0F;
        out[at] = in[at] * mask[at] * factor;
    });
}

void dropout_backward(const DropoutRule& rule, In grad, In mask, Out grad_in) {
    const float factor = 1 / (1 - rule.probability);
    for_each(size(grad), [=](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        grad_in[at] = grad[at] * mask[at] * factor;
    });
}

void residual_add(const DropoutRule& rule, In in, In update, In bias, Out out, Out mask) {
    const float factor = 1 / (1 - rule.probability);
    for_each(size(in), [=](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        float added = update[at] + (bias.empty() ? 0.0F : bias[at % bias.size()]);
        if (!mask.empty()) {
            mask[at] = keeps(rule, i) ? 1.0F : 0.0F;
            added *= mask[at] * factor;
        }
        out[at] = in[at] + added;
    });
}

void rope(const RopeShape& shape, Out in_out) {
    const std::int64_t half = shape.head_dim / 2;
    for_each(shape.rows, [=](std::int64_t r) {
        const auto position = static_cast<double>(r / shape.batch);
        for (std::int64_t i = 0; i < half; ++i) {
            const double angle = position * std::pow(static_cast<double>(shape.base),
                                                     -2.0 * static_cast<double>(i) /
                                                         static_cast<double>(shape.head_dim));
            const auto cosine = static_cast<float>(std::cos(angle));
            const auto sine =
                static_cast<float>(shape.backward ? -std::sin(angle) : std::sin(angle));
            for (std::int64_t h = 0; h < shape.heads; ++h) {
                float* head = in_out.data() + r * shape.row_stride + h * shape.head_dim;
                const float a = head[i];
                const float b = head[i + half];
                head[i] = a * cosine - b * sine;
                head[i + half] = b * cosine + a * sine;
            }
        }
    });
}

void add(In a, In b, Out out) {
    for_each(size(a), [=](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        out[at] = a[at] + b[at];
    });
}

void scale(float factor, Out in_out) {
    for_each(size(in_out), [=](std::int64_t i) { in_out[static_cast<std::size_t>(i)] *= factor; });
}

void fill(float value, Out out) {
    for_each(size(out), [=](std::int64_t i) { out[static_cast<std::size_t>(i)] = value; });
}

}  // namespace prismllm::device
