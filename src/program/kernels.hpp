// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
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

struct AttentionShape {
    std::int64_t batch = 0, sequence = 0, heads = 0, kv_heads = 0, head_dim = 0;
};
/// Fused causal attention. FLOPs: 4*b*a*s^2*d forward, 10 backward, halved by the mask.
[[nodiscard]] Kernel attention(KernelKind kind, DType dtype, const AttentionShape& shape);

[[nodiscard]] Kernel softmax(KernelKind kind, DType dtype, std::int64_t rows, std::int64_t columns);
[[nodiscard]] Kernel norm(KernelKind kind, DType dtype, std::int64_t rows, std::int64_t columns);
[[nodiscard]] Kernel activation(KernelKind kind, DType dtype, std::int64_t rows,
                                std::int64_t columns, bool gated);
/// Streams `reads` + `writes` tensors of `elements`.
[[nodiscard]] Kernel elementwise(DType dtype, std::int64_t elements, std::int64_t reads,
                                 std::int64_t writes);
/// Bias, dropout and residual addition in one pass: two reads, one write.
[[nodiscard]] Kernel residual_add(DType dtype, std::int64_t elements);
/// Dropout on attention probabilities: reads and writes the tensor, writes a byte mask.
[[nodiscard]] Kernel dropout(DType dtype, std::int64_t elements);
[[nodiscard]] Kernel rope(DType dtype, std::int64_t rows, std::int64_t columns);
[[nodiscard]] Kernel embedding(KernelKind kind, DType dtype, std::int64_t tokens,
                               std::int64_t columns, std::int64_t table_rows);
/// Vocabulary-parallel cross entropy on fp32 logits cast from `dtype`.
[[nodiscard]] Kernel cross_entropy(KernelKind kind, DType dtype, std::int64_t rows,
                                   std::int64_t columns);
[[nodiscard]] Kernel fill(DType dtype, std::int64_t elements);
[[nodiscard]] Kernel l2_norm(DType dtype, std::int64_t elements);
/// Adam on fp32 master weights: reads gradient, moments, master; writes moments, master, weight.
[[nodiscard]] Kernel adam(DType weight, DType gradient, std::int64_t elements);

}  // namespace prismllm::program
