// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace prismllm::program {
namespace {

double product(std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
}

}  // namespace

Kernel gemm(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t inner, GemmPass pass,
            DType output, std::int64_t batch) {
    Kernel k;
    k.kind = KernelKind::gemm;
    k.dtype = dtype;
    k.shape = {rows, columns, inner, batch, static_cast<std::int64_t>(pass), 0, 0};
    k.flops = 2.0 * product(rows, columns) * product(inner, batch);
    // A weight gradient is accumulated: its output is read and written.
    const std::int64_t passes = pass == GemmPass::wgrad ? 2 : 1;
    k.bytes = batch * ((rows * inner + inner * columns) * size_of(dtype) +
                       passes * rows * columns * size_of(output));
    return k;
}

Kernel attention(KernelKind kind, DType dtype, const AttentionShape& shape) {
    const bool forward = kind == KernelKind::attention_forward;
    Kernel k;
    k.kind = kind;
    k.dtype = dtype;
    k.shape = {shape.batch,
               shape.sequence,
               shape.sequence,
               shape.heads,
               shape.kv_heads,
               shape.head_dim,
               1};
    const double full = product(shape.batch * shape.heads, shape.sequence) *
                        product(shape.sequence, shape.head_dim);
    k.flops = (forward ? 4.0 : 10.0) * full / 2;
    const std::int64_t rows = shape.batch * shape.sequence * shape.head_dim;
    // forward: q, k, v in, o out; backward: also o, do in and dq, dk, dv out
    k.bytes = size_of(dtype) * rows *
              (forward ? 2 * (shape.heads + shape.kv_heads) : 4 * shape.heads + 4 * shape.kv_heads);
    return k;
}

namespace {

/// A kernel over rows that reads its input and writes as much; backward reads one tensor more.
Kernel row_wise(KernelKind kind, bool forward, DType dtype, std::int64_t rows,
                std::int64_t columns) {
    Kernel k;
    k.kind = kind;
    k.dtype = dtype;
    k.shape = {rows, columns};
    k.flops = 5.0 * product(rows, columns);
    k.bytes = (forward ? 2 : 3) * rows * columns * size_of(dtype);
    return k;
}

}  // namespace

Kernel softmax(KernelKind kind, DType dtype, std::int64_t rows, std::int64_t columns) {
    return row_wise(kind, kind == KernelKind::softmax_forward, dtype, rows, columns);
}

Kernel norm(KernelKind kind, DType dtype, std::int64_t rows, std::int64_t columns) {
    return row_wise(kind, kind == KernelKind::norm_forward, dtype, rows, columns);
}

Kernel activation(KernelKind kind, DType dtype, std::int64_t rows, std::int64_t columns,
                  bool gated) {
    Kernel k;
    k.kind = kind;
    k.dtype = dtype;
    k.shape = {rows, columns, gated ? 1 : 0};
    const bool forward = kind == KernelKind::activation_forward;
    const std::int64_t passes = forward ? (gated ? 3 : 2) : (gated ? 5 : 3);
    k.flops = 8.0 * product(rows, columns);
    k.bytes = passes * rows * columns * size_of(dtype);
    return k;
}

Kernel elementwise(DType dtype, std::int64_t elements, std::int64_t reads, std::int64_t writes) {
    Kernel k;
    k.kind = KernelKind::elementwise;
    k.dtype = dtype;
    k.shape = {elements, reads, writes};
    k.flops = static_cast<double>(elements);
    k.bytes = (reads + writes) * elements * size_of(dtype);
    return k;
}

Kernel residual_add(DType dtype, std::int64_t elements) {
    Kernel k = elementwise(dtype, elements, 2, 1);
    k.kind = KernelKind::residual_add;
    k.shape = {elements};
    return k;
}

Kernel dropout(DType dtype, std::int64_t elements) {
    Kernel k = elementwise(dtype, elements, 1, 1);
    k.kind = KernelKind::dropout;
    k.shape = {elements};
    k.bytes += elements;
    return k;
}

Kernel rope(DType dtype, std::int64_t rows, std::int64_t columns) {
    Kernel k = elementwise(dtype, rows * columns, 1, 1);
    k.kind = KernelKind::rope;
    k.shape = {rows, columns};
    return k;
}

Kernel embedding(KernelKind kind, DType dtype, std::int64_t tokens, std::int64_t columns,
                 std::int64_t table_rows) {
    Kernel k;
    k.kind = kind;
    k.dtype = dtype;
    k.shape = {tokens, columns, table_rows};
    const std::int64_t passes = kind == KernelKind::embedding_forward ? 2 : 3;
    k.bytes = passes * tokens * columns * size_of(dtype);
    return k;
}

Kernel cross_entropy(KernelKind kind, DType dtype, std::int64_t rows, std::int64_t columns) {
    Kernel k;
    k.kind = kind;
    k.dtype = dtype;
    k.shape = {rows, columns};
    k.flops = 5.0 * product(rows, columns);
    // forward: cast to fp32, maximum, exponentials kept; backward: softmax minus one, cast back
    const std::int64_t per_logit = kind == KernelKind::cross_entropy_forward
                                       ? size_of(dtype) + 4 + 4 + 4 + 4
                                       : 4 + 4 + size_of(dtype);
    k.bytes = rows * columns * per_logit;
    return k;
}

Kernel fill(DType dtype, std::int64_t elements) {
    Kernel k;
    k.kind = KernelKind::fill;
    k.dtype = dtype;
    k.shape = {elements};
    k.bytes = elements * size_of(dtype);
    return k;
}

Kernel l2_norm(DType dtype, std::int64_t elements) {
    Kernel k = fill(dtype, elements);
    k.kind = KernelKind::l2_norm;
    k.flops = 2.0 * static_cast<double>(elements);
    return k;
}

Kernel adam(DType weight, DType gradient, std::int64_t elements) {
    Kernel k;
    k.kind = KernelKind::adam;
    k.dtype = weight;
    k.shape = {elements};
    k.flops = 12.0 * static_cast<double>(elements);
    k.bytes = elements * (size_of(gradient) + 3 * 4 + 3 * 4 + size_of(weight));
    return k;
}

}  // namespace prismllm::program
