// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "head.hpp"

#include "prismllm/program/kernels.hpp"

#include "accumulation.hpp"
#include "linear.hpp"
#include "norm.hpp"

namespace prismllm::program {
namespace {

void reduce_tokens(const Context& c, Buffer values, graph::ReduceOp op) {
    if (has_tensor_group(c)) {
        blocking_collective(c, Stream::tensor_comm,
                            sum_partial(c, graph::DType::fp32, c.sizes().tokens, op), values,
                            values);
    }
}

/// loss = log(sum of exponentials) - logit of the label, each over the vocabulary shards.
/// Consumes `logits`.
void cross_entropy_forward(const Context& c, Buffer logits, SavedHead& saved) {
    const Sizes& s = c.sizes();
    const auto per_token = [&](std::string_view name) {
        return c.allocate(name, graph::DType::fp32, s.tokens);
    };
    const Buffer largest = per_token("largest logits");
    saved.exponentials = c.allocate("fp32 logits", graph::DType::fp32, s.tokens * s.vocab);
    c.compute(cross_entropy(CrossEntropyPart::maximum, c.setup.activation, s.tokens, s.vocab),
              {logits}, {saved.exponentials, largest});
    c.release({logits});
    reduce_tokens(c, largest, graph::ReduceOp::max);

    saved.labels = c.allocate("labels", graph::DType::int64, s.tokens);
    c.executor.load(saved.labels, Input::labels);
    const Buffer predicted = per_token("logits of the labels");
    saved.sums = per_token("sums of exponentials");
    c.compute(cross_entropy(CrossEntropyPart::exponentials, c.setup.activation, s.tokens, s.vocab),
              {saved.exponentials, largest, saved.labels},
              {saved.exponentials, predicted, saved.sums});
    reduce_tokens(c, predicted, graph::ReduceOp::sum);
    reduce_tokens(c, saved.sums, graph::ReduceOp::sum);

    const Buffer losses = per_token("token losses");
    c.compute(elementwise(Operation::token_loss, graph::DType::fp32, s.tokens, 2, 1),
              {saved.sums, predicted}, {losses});
    c.release({largest, predicted, losses});
}

}  // namespace

void head_forward(const Context& c, const HeadWeights& w, SavedHead& saved, Buffer input,
                  const ModuleHook& before) {
    saved.input = input;
    before(w.norm_module);
    saved.normed = norm_forward(c, w.norm, input, "final norm output");
    before(w.linear.module);
    cross_entropy_forward(c, column_forward(c, w.linear, saved.normed), saved);
}

HeadGradient head_backward(const Context& c, const HeadWeights& w, const SavedHead& saved,
                           const ModuleHook& done) {
    const Sizes& s = c.sizes();
    const Buffer grad_logits = c.activation("logit gradient", s.tokens * s.vocab);
    c.compute(cross_entropy(CrossEntropyPart::gradient, c.setup.activation, s.tokens, s.vocab),
              {saved.exponentials, saved.sums, saved.labels}, {grad_logits});
    c.release({saved.exponentials, saved.sums, saved.labels});
    HeadGradient gradient;
    const Buffer grad_normed = column_backward(c, w.linear, saved.normed, grad_logits);
    if (w.shares_words) {
        gradient.shared_table = allocate_gradient(c, w.linear.weight, "zeros for the tied table");
        c.compute(fill(c.setup.activation, gradient.shared_table.elements), {},
                  {gradient.shared_table});
    } else {
        done(w.linear.module);
    }
    gradient.input = norm_backward(c, w.norm, grad_normed, saved.input, "residual gradient");
    done(w.norm_module);
    c.release({grad_normed, saved.normed, saved.input});
    return gradient;
}

}  // namespace prismllm::program
