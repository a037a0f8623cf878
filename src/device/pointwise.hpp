// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Element-wise work: activations, residual additions, dropout, rotary embedding.
#pragma once

#include "parallel.hpp"
#include "shapes.hpp"

namespace prismllm::device {

void activation_forward(const ActivationShape& shape, In in, Out out);
void activation_backward(const ActivationShape& shape, In in, In grad, Out grad_in);

/// mask: 1 kept, 0 dropped; out = in * mask / (1 - probability)
void dropout_forward(const DropoutRule& rule, In in, Out out, Out mask);
void dropout_backward(const DropoutRule& rule, In grad, In mask, Out grad_in);

/// out = in + dropout(update + bias). Bias (one for each column) and mask may be empty.
void residual_add(const DropoutRule& rule, In in, In update, In bias, Out out, Out mask);

void rope(const RopeShape& shape, Out in_out);

void add(In a, In b, Out out);
void scale(float factor, Out in_out);
void fill(float value, Out out);

}  // namespace prismllm::device
