// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Linear layers, attention and norms.
#include "prismllm/base/error.hpp"
#include "prismllm/program/kernels.hpp"

#include "launch.hpp"

namespace prismllm::device {
namespace {

using graph::KernelKind;
using program::AttentionProduct;
using program::GemmPass;

AttentionSizes attention_sizes(const KernelContext& c) {
    const program::Sizes& s = c.setup.sizes;
    return {c.setup.training.micro_batch_size, c.setup.training.sequence_length, s.heads,
            s.kv_heads, s.head_dim};
}

/// Columns of queries, keys, values in a [tokens, columns] matrix that begins with them.
QueriesKeysValuesView parts_of(const KernelContext& c, Buffer buffer) {
    const program::Sizes& s = c.setup.sizes;
    const View all = c.view(buffer);
    const std::int64_t row_stride = buffer.elements / s.tokens;
    const std::int64_t keys = s.query_columns;
    const std::int64_t values = keys + s.kv_heads * s.head_dim;
    return {{all, row_stride}, {all.behind(keys), row_stride}, {all.behind(values), row_stride}};
}

/// Queries and keys may have been normed into a tensor of their own; values stay.
QueriesKeysValuesView attention_input(const KernelContext& c, Buffer queries_keys, Buffer qkv) {
    QueriesKeysValuesView in = parts_of(c, queries_keys);
    in.values = parts_of(c, qkv).values;
    return in;
}

void run_product(const KernelContext& c, AttentionProduct product, Operands reads,
                 Operands writes) {
    const AttentionSizes sizes = attention_sizes(c);
    const auto in = [&](std::size_t i) { return attention_input(c, reads[i], reads[i]); };
    switch (product) {
        case AttentionProduct::scores:
            return c.on.attention_scores(sizes, in(0), c.view(writes[0]));
        case AttentionProduct::context:
            return c.on.attention_context(sizes, c.view(reads[0]), in(1).values, c.view(writes[0]));
        case AttentionProduct::probability_gradient:
            return c.on.probability_gradient(sizes, c.view(reads[0]), in(1).values,
                                             c.view(writes[0]));
        case AttentionProduct::value_gradient:
            return c.on.value_gradient(sizes, c.view(reads[0]), c.view(reads[1]),
                                       parts_of(c, writes[0]).values);
        case AttentionProduct::query_gradient:
            return c.on.query_gradient(sizes, c.view(reads[0]), in(1).keys,
                                       parts_of(c, writes[0]).queries);
        case AttentionProduct::key_gradient:
            return c.on.key_gradient(sizes, c.view(reads[0]), in(1).queries,
                                     parts_of(c, writes[0]).keys);
    }
}

/// Rows of a tensor of which each token has `heads` in front of other columns.
RowShape head_rows(const KernelContext& c, std::int64_t heads, Buffer buffer) {
    const program::Sizes& s = c.setup.sizes;
    return {s.tokens * heads, s.head_dim, heads, buffer.elements / s.tokens};
}

/// Norms of queries and of keys, each with a scale of its own.
void run_head_norms(const KernelContext& c, bool forward, Operands reads, Operands writes) {
    const program::Sizes& s = c.setup.sizes;
    const auto skip = [&](Buffer b, std::size_t keys) {
        return c.view(b).behind(static_cast<std::int64_t>(keys) * s.query_columns);
    };
    for (const std::size_t keys : {std::size_t{0}, std::size_t{1}}) {
        const std::int64_t heads = keys == 0 ? s.heads : s.kv_heads;
        if (forward) {
            c.on.norm_forward(head_rows(c, heads, reads[0]), skip(reads[0], keys),
                              c.view(reads[1 + keys]), {}, head_rows(c, heads, writes[0]),
                              skip(writes[0], keys));
        } else {
            c.on.norm_backward(head_rows(c, heads, reads[0]), skip(reads[0], keys),
                               head_rows(c, heads, reads[1]), skip(reads[1], keys),
                               c.view(reads[2 + keys]), skip(writes[0], keys),
                               c.view(writes[1 + keys]), {});
        }
    }
}

}  // namespace

void run_gemm(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    if (kernel.shape[5] != 0) {
        return run_product(c, static_cast<AttentionProduct>(kernel.shape[5]), reads, writes);
    }
    const auto [m, n, k, batch, pass, product, unused] = kernel.shape;
    const View a = c.view(reads[0]);
    const View b = c.view(reads[1]);
    switch (static_cast<GemmPass>(pass)) {
        case GemmPass::forward:
            return c.on.linear_forward(
                {m, n, k}, a, b, reads.size() > 2 ? c.view(reads[2]) : View{}, c.view(writes[0]));
        case GemmPass::dgrad:
            return c.on.linear_input_gradient({m, k, n}, a, b, c.view(writes[0]));
        case GemmPass::wgrad:
            return c.on.linear_weight_gradient({k, m, n}, a, b, c.view(writes[0]));
    }
}

void run_attention(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    const AttentionSizes sizes = attention_sizes(c);
    switch (kernel.kind) {
        case KernelKind::attention_forward:
            return c.on.attention_forward(sizes, attention_input(c, reads[0], reads[1]),
                                          c.view(writes[0]), c.view(writes[1]));
        case KernelKind::attention_backward:
            return c.on.attention_backward(sizes, attention_input(c, reads[0], reads[1]),
                                           c.view(reads[2]), c.view(reads[3]), c.view(reads[4]),
                                           parts_of(c, writes[0]));
        case KernelKind::softmax_forward:
            return c.on.masked_softmax(sizes, c.view(writes[0]));
        default:
            return c.on.masked_softmax_gradient(sizes, c.view(reads[1]), c.view(writes[0]));
    }
}

void run_norm(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    const bool forward = kernel.kind == KernelKind::norm_forward;
    const program::Sizes& s = c.setup.sizes;
    // More rows than tokens: heads are normed.
    if (kernel.shape[0] > s.tokens) {
        return run_head_norms(c, forward, reads, writes);
    }
    const RowShape rows = plain_rows(kernel.shape[0], kernel.shape[1]);
    if (forward) {
        c.on.norm_forward(rows, c.view(reads[0]), c.view(reads[1]),
                          reads.size() > 2 ? c.view(reads[2]) : View{}, rows, c.view(writes[0]));
    } else {
        c.on.norm_backward(rows, c.view(reads[0]), rows, c.view(reads[1]), c.view(reads[2]),
                           c.view(writes[0]), c.view(writes[1]),
                           writes.size() > 2 ? c.view(writes[2]) : View{});
    }
}

}  // namespace prismllm::device
