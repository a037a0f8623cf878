// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/program/kernels.hpp
/// Kernel descriptions of the training step: shapes, FLOPs, and least memory traffic. Traffic
/// counts operands read and results written once; bytes in the comments are per element.
#pragma once

#include "prismllm/graph/kernel.hpp"

namespace prismllm::program {

using graph::DType;
using graph::Kernel;
using graph::KernelKind;

/// Which product of a linear layer: out = in x weight, its input gradient, its weight gradient.
enum class GemmPass : std::int64_t { forward = 0, dgrad = 1, wgrad = 2 };

/// rows x columns = rows x inner x inner x columns; a wgrad adds into a `gradient` buffer.
[[nodiscard]] Kernel gemm(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t inner,
                          GemmPass pass, DType output, std::int64_t batch = 1);

/// The products of unfused attention on queries Q, keys K, values V: a batch of one product a
/// head, operands taken from tensors of all heads.
enum class AttentionProduct : std::int64_t {
    scores = 1,                ///< Q K^T
    context = 2,               ///< dropped probabilities x V
    probability_gradient = 3,  ///< output gradient x V^T
    value_gradient = 4,        ///< dropped probabilities^T x output gradient
    query_gradient = 5,        ///< score gradient x K
    key_gradient = 6,          ///< score gradient^T x Q
};
[[nodiscard]] Kernel attention_product(AttentionProduct product, DType dtype, std::int64_t heads,
                                       std::int64_t sequence, std::int64_t head_dim);

struct AttentionShape {
    std::int64_t batch = 0, sequence = 0, heads = 0, kv_heads = 0, head_dim = 0;
};
/// Fused causal attention. FLOPs: 4*b*a*s^2*d forward, 10 backward, halved by the mask.
[[nodiscard]] Kernel attention(KernelKind kind, DType dtype, const AttentionShape& shape);

[[nodiscard]] Kernel softmax(KernelKind kind, DType dtype, std::int64_t rows, std::int64_t columns);
[[nodiscard]] Kernel norm(KernelKind kind, DType dtype, std::int64_t rows, std::int64_t columns);
[[nodiscard]] Kernel activation(KernelKind kind, DType dtype, std::int64_t rows,
                                std::int64_t columns, bool gated);
/// What an element-wise kernel computes, its operands in order.
enum class Operation : std::int64_t {
    add = 0,         ///< a, b -> a + b
    mean_share = 1,  ///< gradient -> gradient / replicas
    clip = 2,        ///< gradients, sum of squares -> gradients x min(1, limit / norm)
    unscale = 3,     ///< gradients, flag -> gradients / loss scale, flag: 1 if any is not finite
    column_sum = 4,  ///< [rows, columns] -> [columns]
    token_loss = 5,  ///< sums of exponentials, logits of the labels -> log(sum) - logit
};
/// Streams `reads` + `writes` tensors of `elements`.
[[nodiscard]] Kernel elementwise(Operation operation, DType dtype, std::int64_t elements,
                                 std::int64_t reads, std::int64_t writes);
/// What a kernel that may drop elements does with their byte mask.
enum class DropoutMask : std::int64_t { none = 0, written = 1, read = 2 };
/// Bias, dropout and residual addition in one pass: two reads, one write, and the mask.
[[nodiscard]] Kernel residual_add(DType dtype, std::int64_t elements, DropoutMask mask);
enum class Dropped : std::int64_t { hidden_states = 0, attention_probabilities = 1 };
/// Reads and writes a tensor; forward writes the mask of elements kept, backward reads it.
[[nodiscard]] Kernel dropout(Dropped what, DType dtype, std::int64_t elements, DropoutMask mask);
enum class Direction : std::int64_t { forward = 0, backward = 1 };
/// Rotation of queries and keys; the backward pass turns the other way.
[[nodiscard]] Kernel rope(Direction direction, DType dtype, std::int64_t rows,
                          std::int64_t columns);
/// Rows of a table by token id, and the scatter of their gradients into a dense gradient of the
/// table, which other kernels clear before and add to the main gradient after.
[[nodiscard]] Kernel embedding(KernelKind kind, DType dtype, std::int64_t tokens,
                               std::int64_t columns, std::int64_t table_rows);
/// The kernels of vocabulary-parallel cross entropy; the tensor group reduces between them.
enum class CrossEntropyPart : std::int64_t {
    maximum = 0,       ///< logits -> fp32 copy, maximum of each token
    exponentials = 1,  ///< fp32 logits, maxima, labels -> exponentials (in place), logit of the
                       ///< label (0 where another rank has it), sum of exponentials
    gradient = 2,      ///< exponentials, sums, labels -> softmax - one hot, in `dtype`
};
/// @param dtype of logits and their gradient; all between is fp32.
[[nodiscard]] Kernel cross_entropy(CrossEntropyPart part, DType dtype, std::int64_t rows,
                                   std::int64_t columns);
/// `elements` of one or many tensors, cast on the way.
[[nodiscard]] Kernel copy(DType from, DType to, std::int64_t elements);
/// Adds a gradient to the main gradient: reads both, writes the main one.
[[nodiscard]] Kernel accumulate(DType gradient, DType main, std::int64_t elements);
[[nodiscard]] Kernel fill(DType dtype, std::int64_t elements);
[[nodiscard]] Kernel l2_norm(DType dtype, std::int64_t elements);
/// Adam in fp32: reads gradients, weights (masters), both moments; writes weights and moments.
[[nodiscard]] Kernel adam(std::int64_t elements);

}  // namespace prismllm::program
