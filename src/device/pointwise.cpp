// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "pointwise.hpp"

#include "bodies/pointwise.hpp"

namespace prismllm::device {
namespace {

std::int64_t size(In in) {
    return static_cast<std::int64_t>(in.size());
}

}  // namespace

void activation_forward(const ActivationShape& shape, In in, Out out) {
    for_each(shape.rows, [=](std::int64_t r) {
        for (std::int64_t c = 0; c < shape.columns; ++c) {
            bodies::activation_forward(shape, r, c, in.data(), out.data());
        }
    });
}

void activation_backward(const ActivationShape& shape, In in, In grad, Out grad_in) {
    for_each(shape.rows, [=](std::int64_t r) {
        for (std::int64_t c = 0; c < shape.columns; ++c) {
            bodies::activation_backward(shape, r, c, in.data(), grad.data(), grad_in.data());
        }
    });
}

void dropout_forward(const DropoutRule& rule, In in, Out out, Out mask) {
    for_each(size(in), [=](std::int64_t i) {
        bodies::dropout_forward(rule, i, in.data(), out.data(), mask.data());
    });
}

void dropout_backward(const DropoutRule& rule, In grad, In mask, Out grad_in) {
    for_each(size(grad), [=](std::int64_t i) {
        bodies::dropout_backward(rule, i, grad.data(), mask.data(), grad_in.data());
    });
}

void residual_add(const DropoutRule& rule, In in, In update, In bias, Out out, Out mask) {
    for_each(size(in), [=](std::int64_t i) {
        bodies::residual_add(rule, i, in.data(), update.data(), bias.data(), size(bias), out.data(),
                             mask.data(), !mask.empty());
    });
}

void rope(const RopeShape& shape, Out in_out) {
    for_each(shape.rows, [=](std::int64_t r) {
        for (std::int64_t i = 0; i < shape.head_dim / 2; ++i) {
            const bodies::Turn turn = bodies::turn_of(shape, r, i);
            for (std::int64_t h = 0; h < shape.heads; ++h) {
                bodies::rope(shape, turn, r, h, i, in_out.data());
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
