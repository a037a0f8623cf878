// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Core attention, fused (flash) and unfused (the separate kernels of 2021 and 2022 stacks).
#include "prismllm/program/kernels.hpp"

#include "layer.hpp"

namespace prismllm::program {
namespace {

/// Sizes of the score matrices of unfused attention on this rank.
struct Scores {
    std::int64_t batch, sequence, head_dim, elements;
    DType dtype;
};

Scores scores_of(const Context& c) {
    const std::int64_t sequence = c.setup.training.sequence_length;
    const std::int64_t batch = c.setup.training.micro_batch_size * c.sizes().heads;
    return {batch, sequence, c.sizes().head_dim, batch * sequence * sequence, c.setup.activation};
}

Kernel product(const Scores& p, AttentionProduct which) {
    return attention_product(which, p.dtype, p.batch, p.sequence, p.head_dim);
}

AttentionShape fused_shape(const Context& c) {
    const Sizes& s = c.sizes();
    return {c.setup.training.micro_batch_size, c.setup.training.sequence_length, s.heads,
            s.kv_heads, s.head_dim};
}

Buffer fused_forward(const Context& c, const AttentionInput& in, bool keep, SavedAttention& saved) {
    const Sizes& s = c.sizes();
    const Buffer out = c.activation("attention context", s.tokens * s.query_columns);
    const Buffer lse = c.allocate("attention log-sum-exp", graph::DType::fp32, s.tokens * s.heads);
    c.compute(attention(KernelKind::attention_forward, c.setup.activation, fused_shape(c)),
              {in.queries_keys, in.qkv}, {out, lse});
    if (keep) {
        saved.log_sum_exp = lse;
    } else {
        c.release({lse});
    }
    return out;
}

Buffer unfused_forward(const Context& c, const AttentionInput& in, bool keep,
                       SavedAttention& saved) {
    const Scores p = scores_of(c);
    const Buffer probabilities = c.activation("attention probabilities", p.elements);
    c.compute(product(p, AttentionProduct::scores), {in.queries_keys}, {probabilities});
    c.compute(softmax(KernelKind::softmax_forward, p.dtype, p.batch * p.sequence, p.sequence),
              {probabilities}, {probabilities});
    const Buffer mask = c.allocate("attention dropout mask", graph::DType::uint8, p.elements);
    const Buffer dropped = c.activation("dropped attention probabilities", p.elements);
    c.compute(dropout(Dropped::attention_probabilities, p.dtype, p.elements, DropoutMask::written),
              {probabilities}, {dropped, mask});
    const Buffer out =
        c.activation("attention context", c.sizes().tokens * c.sizes().query_columns);
    c.compute(product(p, AttentionProduct::context), {dropped, in.qkv}, {out});
    if (keep) {
        saved.probabilities = probabilities;
        saved.mask = mask;
        saved.dropped = dropped;
    } else {
        c.release({probabilities, mask, dropped});
    }
    return out;
}

void unfused_backward(const Context& c, const AttentionInput& in, Buffer grad, Buffer grad_qkv,
                      const SavedAttention& saved) {
    const Scores p = scores_of(c);
    const Buffer grad_scores = c.activation("attention score gradient", p.elements);
    c.compute(product(p, AttentionProduct::probability_gradient), {grad, in.qkv}, {grad_scores});
    c.compute(product(p, AttentionProduct::value_gradient), {saved.dropped, grad}, {grad_qkv});
    c.compute(dropout(Dropped::attention_probabilities, p.dtype, p.elements, DropoutMask::read),
              {grad_scores, saved.mask}, {grad_scores});
    c.compute(softmax(KernelKind::softmax_backward, p.dtype, p.batch * p.sequence, p.sequence),
              {grad_scores, saved.probabilities}, {grad_scores});
    c.compute(product(p, AttentionProduct::query_gradient), {grad_scores, in.queries_keys},
              {grad_qkv});
    c.compute(product(p, AttentionProduct::key_gradient), {grad_scores, in.queries_keys},
              {grad_qkv});
    c.release({grad_scores, saved.probabilities, saved.mask, saved.dropped});
}

}  // namespace

Buffer attention_forward(const Context& context, const AttentionInput& in, bool keep,
                         SavedAttention& saved) {
    return context.setup.training.flash_attention ? fused_forward(context, in, keep, saved)
                                                  : unfused_forward(context, in, keep, saved);
}

Buffer attention_backward(const Context& context, const AttentionInput& in, Buffer output,
                          Buffer grad, const SavedAttention& saved) {
    const Sizes& s = context.sizes();
    const Buffer grad_qkv = context.activation("qkv gradient", s.tokens * s.qkv_columns);
    if (context.setup.training.flash_attention) {
        context.compute(attention(KernelKind::attention_backward, context.setup.activation,
                                  fused_shape(context)),
                        {in.queries_keys, in.qkv, output, saved.log_sum_exp, grad}, {grad_qkv});
        context.release({saved.log_sum_exp});
    } else {
        unfused_backward(context, in, grad, grad_qkv, saved);
    }
    context.release({output, grad});
    return grad_qkv;
}

}  // namespace prismllm::program
