// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <algorithm>
#include <string>

#include "prismllm/base/error.hpp"
#include "prismllm/program/kernels.hpp"

namespace prismllm::device {
namespace {

using graph::KernelKind;

/// Elements of all reads, in order, to those of all writes: joins, cuts and casts.
void run_copy(const KernelContext& c, Operands reads, Operands writes) {
    std::size_t write = 0;
    std::int64_t filled = 0;
    for (const Buffer& read : reads) {
        View from = c.view(read);
        while (!from.empty()) {
            const View to = c.view(writes[write]).behind(filled);
            const std::int64_t count = std::min(from.elements, to.elements);
            c.on.copy(from.part(0, count), to.part(0, count));
            from = from.behind(count);
            filled += count;
            if (filled == writes[write].elements) {
                ++write;
                filled = 0;
            }
        }
    }
}

/// Rows of the words' table are cut over tensor ranks, positions are on each.
std::int64_t first_row(const KernelContext& c, Buffer ids) {
    return c.memory.input(ids) == program::Input::tokens ? c.where.tensor * c.setup.sizes.vocab : 0;
}

void run_embedding(const KernelContext& c, const graph::Kernel& kernel, Operands reads,
                   Operands writes) {
    const std::int64_t columns = kernel.shape[1];
    const View ids = c.view(reads[0]);
    const View values = c.view(reads[1]);
    if (kernel.kind == KernelKind::embedding_forward) {
        c.on.embedding_forward(columns, first_row(c, reads[0]), ids, values, c.view(writes[0]));
    } else {
        c.on.embedding_backward(columns, first_row(c, reads[0]), ids, values, c.view(writes[0]));
    }
}

void run_rope(const KernelContext& c, const graph::Kernel& kernel, Buffer buffer) {
    const program::Sizes& s = c.setup.sizes;
    RopeShape shape;
    shape.rows = kernel.shape[0];
    shape.batch = c.setup.training.micro_batch_size;
    shape.heads = s.heads + s.kv_heads;
    shape.head_dim = s.head_dim;
    shape.row_stride = buffer.elements / shape.rows;
    shape.base = static_cast<float>(c.training.rope_base);
    shape.backward = kernel.shape[2] != 0;
    c.on.rope(shape, c.view(buffer));
}

void run_activation(const KernelContext& c, const graph::Kernel& kernel, Operands reads,
                    Operands writes) {
    const ActivationShape shape{kernel.shape[0], kernel.shape[1], kernel.shape[2] != 0};
    if (kernel.kind == KernelKind::activation_forward) {
        c.on.activation_forward(shape, c.view(reads[0]), c.view(writes[0]));
    } else {
        c.on.activation_backward(shape, c.view(reads[0]), c.view(reads[1]), c.view(writes[0]));
    }
}

void run_dropout(const KernelContext& c, const graph::Kernel& kernel, Operands reads,
                 Operands writes) {
    // Nothing is dropped of attention probabilities.
    const DropoutRule rule = drops_hidden_states(kernel) ? c.hidden_dropout : DropoutRule{};
    if (kernel.shape[1] == static_cast<std::int64_t>(program::DropoutMask::written)) {
        c.on.dropout_forward(rule, c.view(reads[0]), c.view(writes[0]), c.view(writes[1]));
    } else {
        c.on.dropout_backward(rule, c.view(reads[0]), c.view(reads[1]), c.view(writes[0]));
    }
}

void run_residual(const KernelContext& c, Operands reads, Operands writes) {
    const View bias = reads.size() > 2 ? c.view(reads[2]) : View{};
    const View mask = writes.size() > 1 ? c.view(writes[1]) : View{};
    c.on.residual_add(c.hidden_dropout, c.view(reads[0]), c.view(reads[1]), bias, c.view(writes[0]),
                      mask);
}

void dispatch(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    switch (kernel.kind) {
        case KernelKind::gemm:
            return run_gemm(c, kernel, reads, writes);
        case KernelKind::attention_forward:
        case KernelKind::attention_backward:
        case KernelKind::softmax_forward:
        case KernelKind::softmax_backward:
            return run_attention(c, kernel, reads, writes);
        case KernelKind::norm_forward:
        case KernelKind::norm_backward:
            return run_norm(c, kernel, reads, writes);
        case KernelKind::activation_forward:
        case KernelKind::activation_backward:
            return run_activation(c, kernel, reads, writes);
        case KernelKind::dropout:
            return run_dropout(c, kernel, reads, writes);
        case KernelKind::residual_add:
            return run_residual(c, reads, writes);
        case KernelKind::elementwise:
            return run_elementwise(c, kernel, reads, writes);
        case KernelKind::rope:
            return run_rope(c, kernel, writes[0]);
        case KernelKind::embedding_forward:
        case KernelKind::embedding_backward:
            return run_embedding(c, kernel, reads, writes);
        case KernelKind::cross_entropy_forward:
        case KernelKind::cross_entropy_backward:
            return run_loss(c, kernel, reads, writes);
        case KernelKind::fill:
            return c.on.fill(0, c.view(writes[0]));
        case KernelKind::copy:
            return run_copy(c, reads, writes);
        case KernelKind::l2_norm:
        case KernelKind::adam:
            return run_optimizer(c, kernel, reads, writes);
    }
    throw SystemError{ErrorCode::internal,
                      "no operation for kernel " + std::string{name_of(kernel.kind)}};
}

}  // namespace

bool drops_hidden_states(const graph::Kernel& kernel) {
    return kernel.kind == KernelKind::residual_add ||
           (kernel.kind == KernelKind::dropout &&
            kernel.shape[2] == static_cast<std::int64_t>(program::Dropped::hidden_states));
}

void run_kernel(KernelContext& context, const graph::Kernel& kernel, Operands reads,
                Operands writes) {
    dispatch(context, kernel, reads, writes);
    for (const Buffer& buffer : writes) {
        context.on.round_to(context.memory.dtype(buffer), context.view(buffer));
    }
}

}  // namespace prismllm::device
