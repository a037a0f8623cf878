// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/program/kernels.hpp"

#include <algorithm>

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

Kernel attention_product(AttentionProduct product, DType dtype, std::int64_t heads,
                         std::int64_t sequence, std::int64_t head_dim) {
    const bool forward =
        product == AttentionProduct::scores || product == AttentionProduct::context;
    const bool to_scores =
        product == AttentionProduct::scores || product == AttentionProduct::probability_gradient;
    Kernel k =
        gemm(dtype, sequence, to_scores ? sequence : head_dim, to_scores ? head_dim : sequence,
             forward ? GemmPass::forward : GemmPass::dgrad, dtype, heads);
    k.shape[5] = static_cast<std::int64_t>(product);
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

namespace {

/// One operation an element; `passes` tensors of `elements` move.
Kernel streaming(KernelKind kind, DType dtype, std::int64_t elements, std::int64_t passes) {
    Kernel k;
    k.kind = kind;
    k.dtype = dtype;
    k.flops = static_cast<double>(elements);
    k.bytes = passes * elements * size_of(dtype);
    return k;
}

}  // namespace

Kernel elementwise(Operation operation, DType dtype, std::int64_t elements, std::int64_t reads,
                   std::int64_t writes) {
    Kernel k = streaming(KernelKind::elementwise, dtype, elements, reads + writes);
    k.shape = {elements, reads, writes, static_cast<std::int64_t>(operation)};
    return k;
}

Kernel residual_add(DType dtype, std::int64_t elements, DropoutMask mask) {
    Kernel k = streaming(KernelKind::residual_add, dtype, elements, 3);
    k.shape = {elements, static_cast<std::int64_t>(mask)};
    k.bytes += mask == DropoutMask::none ? 0 : elements;
    return k;
}

Kernel dropout(Dropped what, DType dtype, std::int64_t elements, DropoutMask mask) {
    Kernel k = streaming(KernelKind::dropout, dtype, elements, 2);
    k.shape = {elements, static_cast<std::int64_t>(mask)};
    k.bytes += elements;
    k.shape[2] = static_cast<std::int64_t>(what);
    return k;
}

Kernel rope(Direction direction, DType dtype, std::int64_t rows, std::int64_t columns) {
    Kernel k = streaming(KernelKind::rope, dtype, rows * columns, 2);
    k.shape = {rows, columns, static_cast<std::int64_t>(direction)};
    return k;
}

Kernel embedding(KernelKind kind, DType dtype, std::int64_t tokens, std::int64_t columns,
                 std::int64_t table_rows) {
    Kernel k;
    k.kind = kind;
    k.dtype = dtype;
    k.shape = {tokens, columns, table_rows};
    if (kind == KernelKind::embedding_forward) {
        k.bytes = 2 * tokens * columns * size_of(dtype);
    } else {
        // Rows of the gradient in; rows of the table, each once at best, in and out.
        k.bytes = (tokens + 2 * std::min(tokens, table_rows)) * columns * size_of(dtype);
    }
    return k;
}

Kernel cross_entropy(CrossEntropyPart part, DType dtype, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t fp32 = 4;
    std::int64_t per_logit = 0;
    switch (part) {
        case CrossEntropyPart::maximum:
            per_logit = size_of(dtype) + fp32 + fp32;  // cast, then read again for the maximum
            break;
        case CrossEntropyPart::exponentials:
            per_logit = fp32 + fp32;
            break;
        case CrossEntropyPart::gradient:
            // The division by the sum belongs here: 28 B a 16-bit logit in all, the traffic that
            // the devices' fits were made with.
            per_logit = fp32 + fp32 + size_of(dtype);
            break;
    }
    Kernel k;
    k.kind = part == CrossEntropyPart::gradient ? KernelKind::cross_entropy_backward
                                                : KernelKind::cross_entropy_forward;
    k.dtype = dtype;
    k.shape = {rows, columns, static_cast<std::int64_t>(part)};
    // maximum: one comparison; subtraction, exponential, sum: three; division, subtraction: two
    const double operations = part == CrossEntropyPart::maximum        ? 1
                              : part == CrossEntropyPart::exponentials ? 3
                                                                       : 2;
    k.flops = operations * product(rows, columns);
    k.bytes = rows * columns * per_logit;
    return k;
}

Kernel copy(DType from, DType to, std::int64_t elements) {
    Kernel k;
    k.kind = KernelKind::copy;
    k.dtype = to;
    k.shape = {elements};
    k.bytes = elements * (size_of(from) + size_of(to));
    return k;
}

Kernel accumulate(DType gradient, DType main, std::int64_t elements) {
    Kernel k = elementwise(Operation::add, main, elements, 2, 1);
    k.bytes = elements * (size_of(gradient) + 2 * size_of(main));
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

Kernel adam(std::int64_t elements) {
    Kernel k;
    k.kind = KernelKind::adam;
    k.dtype = DType::fp32;
    k.shape = {elements};
    k.flops = 12.0 * static_cast<double>(elements);
    k.bytes = elements * (4 + 3) * size_of(DType::fp32);
    return k;
}

}  // namespace prismllm::program
