// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Element-wise work: activations, residual additions, dropout, rotary embedding.
#pragma once

#include "parallel.hpp"

namespace prismllm::device {

/// Gated: SwiGLU, out [rows, columns] = silu(gate) * up of in [rows, gate | up]. Else GELU in its
/// tanh form, as Megatron-LM fuses it.
struct ActivationShape {
    std::int64_t rows = 0, columns = 0;
    bool gated = false;
};
void activation_forward(const ActivationShape& shape, In in, Out out);
void activation_backward(const ActivationShape& shape, In in, In grad, Out grad_in);

/// Which elements a dropout keeps: a pure function of the key, the sample, and the element's place
/// in it, so that samples may be dealt to micro-batches and ranks in any way. Elements are those of
/// [position, sample, column].
struct DropoutRule {
    float probability = 0;  ///< of being dropped
    std::uint64_t key = 0;
    std::int64_t first = 0;          ///< number of the first element
    std::int64_t samples = 1;        ///< that the tensor holds
    std::int64_t columns = 1;        ///< of a position of a sample
    std::uint64_t first_sample = 0;  ///< number of the first sample in the run
};
/// mask: 1 kept, 0 dropped; out = in * mask / (1 - probability)
void dropout_forward(const DropoutRule& rule, In in, Out out, Out mask);
void dropout_backward(const DropoutRule& rule, In grad, In mask, Out grad_in);

/// out = in + dropout(update + bias). Bias (one for each column) and mask may be empty.
void residual_add(const DropoutRule& rule, In in, In update, In bias, Out out, Out mask);

/// Pairs (i, i + head_dim / 2) of each head are turned by position * base^(-2i / head_dim);
/// position = row / batch. Works on the first `heads` heads of each row.
struct RopeShape {
    std::int64_t rows = 0, batch = 1, heads = 0, head_dim = 0, row_stride = 0;
    float base = 10000;
    bool backward = false;  ///< turn the other way
};
void rope(const RopeShape& shape, Out in_out);

void add(In a, In b, Out out);
void scale(float factor, Out in_out);
void fill(float value, Out out);

}  // namespace prismllm::device
