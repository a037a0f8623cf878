// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Linear layers, attention and norms.
#include "prismllm/base/error.hpp"
#include "prismllm/program/kernels.hpp"

#include "attention.hpp"
#include "launch.hpp"
#include "matrix.hpp"
#include "norm.hpp"

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
template <class Parts, class Data>
Parts parts_of(const KernelContext& c, Data data, std::int64_t row_stride) {
    const program::Sizes& s = c.setup.sizes;
    const std::int64_t keys = s.query_columns;
    const std::int64_t values = keys + s.kv_heads * s.head_dim;
    return {{data, row_stride}, {data + keys, row_stride}, {data + values, row_stride}};
}

/// Queries and keys may have been normed into a tensor of their own; values stay.
QueriesKeysValues attention_input(const KernelContext& c, Buffer queries_keys, Buffer qkv) {
    const program::Sizes& s = c.setup.sizes;
    auto in = parts_of<QueriesKeysValues>(c, c.floats(queries_keys).data(),
                                          queries_keys.elements / s.tokens);
    in.values = parts_of<QueriesKeysValues>(c, c.floats(qkv).data(), s.qkv_columns).values;
    return in;
}

QueriesKeysValuesGradient attention_gradient(const KernelContext& c, Buffer grad_qkv) {
    return parts_of<QueriesKeysValuesGradient>(c, c.floats(grad_qkv).data(),
                                               c.setup.sizes.qkv_columns);
}

void run_product(const KernelContext& c, AttentionProduct product, Operands reads,
                 Operands writes) {
    const AttentionSizes sizes = attention_sizes(c);
    const auto in = [&](std::size_t i) { return attention_input(c, reads[i], reads[i]); };
    switch (product) {
        case AttentionProduct::scores:
            return attention_scores(sizes, in(0), c.floats(writes[0]));
        case AttentionProduct::context:
            return attention_context(sizes, c.floats(reads[0]), in(1).values, c.floats(writes[0]));
        case AttentionProduct::probability_gradient:
            return probability_gradient(sizes, c.floats(reads[0]), in(1).values,
                                        c.floats(writes[0]));
        case AttentionProduct::value_gradient:
            return value_gradient(sizes, c.floats(reads[0]), c.floats(reads[1]),
                                  attention_gradient(c, writes[0]).values);
        case AttentionProduct::query_gradient:
            return query_gradient(sizes, c.floats(reads[0]), in(1).keys,
                                  attention_gradient(c, writes[0]).queries);
        case AttentionProduct::key_gradient:
            return key_gradient(sizes, c.floats(reads[0]), in(1).queries,
                                attention_gradient(c, writes[0]).keys);
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
        return c.floats(b).subspan(keys * static_cast<std::size_t>(s.query_columns));
    };
    for (const std::size_t keys : {std::size_t{0}, std::size_t{1}}) {
        const std::int64_t heads = keys == 0 ? s.heads : s.kv_heads;
        if (forward) {
            norm_forward(head_rows(c, heads, reads[0]), skip(reads[0], keys),
                         c.floats(reads[1 + keys]), {}, head_rows(c, heads, writes[0]),
                         skip(writes[0], keys));
        } else {
            norm_backward(head_rows(c, heads, reads[0]), skip(reads[0], keys),
                          head_rows(c, heads, reads[1]), skip(reads[1], keys),
                          c.floats(reads[2 + keys]), skip(writes[0], keys),
                          c.floats(writes[1 + keys]), {});
        }
    }
}

}  // namespace

void run_gemm(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    if (kernel.shape[5] != 0) {
        return run_product(c, static_cast<AttentionProduct>(kernel.shape[5]), reads, writes);
    }
    const auto [m, n, k, batch, pass, product, unused] = kernel.shape;
    const Out a = c.floats(reads[0]);
    const Out b = c.floats(reads[1]);
    switch (static_cast<GemmPass>(pass)) {
        case GemmPass::forward:
            return linear_forward({m, n, k}, a, b, reads.size() > 2 ? In{c.floats(reads[2])} : In{},
                                  c.floats(writes[0]));
        case GemmPass::dgrad:
            return linear_input_gradient({m, k, n}, a, b, c.floats(writes[0]));
        case GemmPass::wgrad:
            return linear_weight_gradient({k, m, n}, a, b, c.floats(writes[0]));
    }
}

void run_attention(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    const AttentionSizes sizes = attention_sizes(c);
    switch (kernel.kind) {
        case KernelKind::attention_forward:
            return attention_forward(sizes, attention_input(c, reads[0], reads[1]),
                                     c.floats(writes[0]), c.floats(writes[1]));
        case KernelKind::attention_backward:
            return attention_backward(sizes, attention_input(c, reads[0], reads[1]),
                                      c.floats(reads[2]), c.floats(reads[3]), c.floats(reads[4]),
                                      attention_gradient(c, writes[0]));
        case KernelKind::softmax_forward:
            return masked_softmax(sizes, c.floats(writes[0]));
        default:
            return masked_softmax_gradient(sizes, c.floats(reads[1]), c.floats(writes[0]));
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
        norm_forward(rows, c.floats(reads[0]), c.floats(reads[1]),
                     reads.size() > 2 ? In{c.floats(reads[2])} : In{}, rows, c.floats(writes[0]));
    } else {
        norm_backward(rows, c.floats(reads[0]), rows, c.floats(reads[1]), c.floats(reads[2]),
                      c.floats(writes[0]), c.floats(writes[1]),
                      writes.size() > 2 ? c.floats(writes[2]) : Out{});
    }
}

}  // namespace prismllm::device
