// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Loss, gradients and optimizer.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/program/kernels.hpp"

#include "launch.hpp"
#include "optimizer_math.hpp"

namespace prismllm::device {
namespace {

using program::CrossEntropyPart;
using program::Operation;

float loss_scale(const KernelContext& c) {
    return c.setup.activation == graph::DType::fp16 ? static_cast<float>(c.training.loss_scale)
                                                    : 1.0F;
}

VocabularyPart vocabulary_part(const KernelContext& c, const graph::Kernel& kernel) {
    VocabularyPart part;
    part.tokens = kernel.shape[0];
    part.columns = kernel.shape[1];
    part.first = c.where.tensor * part.columns;
    part.used = std::clamp<std::int64_t>(c.setup.model.vocab_size - part.first, 0, part.columns);
    return part;
}

/// Of a tensor of one element; waits for it.
float value_of(const KernelContext& c, Buffer buffer) {
    float value = 0;
    download(c.device, c.view(buffer).part(0, 1), {&value, 1});
    return value;
}

}  // namespace

void run_loss(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    const VocabularyPart part = vocabulary_part(c, kernel);
    switch (static_cast<CrossEntropyPart>(kernel.shape[2])) {
        case CrossEntropyPart::maximum: {
            const View logits = c.view(writes[0]);
            c.on.copy(c.view(reads[0]), logits);
            return c.on.largest_logits(part, logits, c.view(writes[1]));
        }
        case CrossEntropyPart::exponentials:
            return c.on.exponentials(part, c.view(reads[1]), c.view(reads[2]), c.view(writes[0]),
                                     c.view(writes[1]), c.view(writes[2]));
        case CrossEntropyPart::gradient: {
            // The step minimizes the mean over the tokens of all micro-batches.
            const auto terms = static_cast<float>(part.tokens * c.setup.layout.micro_batches);
            return c.on.loss_gradient(part, c.view(reads[0]), c.view(reads[1]), c.view(reads[2]),
                                      loss_scale(c) / terms, c.view(writes[0]));
        }
    }
}

void run_elementwise(KernelContext& c, const graph::Kernel& kernel, Operands reads,
                     Operands writes) {
    switch (static_cast<Operation>(kernel.shape[3])) {
        case Operation::add:
            return c.on.add(c.view(reads[0]), c.view(reads[1]), c.view(writes[0]));
        case Operation::mean_share: {
            const std::int64_t replicas = c.setup.layout.data * c.setup.layout.context;
            return c.on.scale(1.0F / static_cast<float>(replicas), c.view(writes[0]));
        }
        case Operation::clip: {
            const float squares = value_of(c, reads.back());
            c.finite_norm = std::isfinite(squares);
            const float factor = clip_factor(static_cast<double>(squares),
                                             static_cast<float>(c.training.clip_gradient));
            for (const Buffer& gradient : writes) {
                c.on.scale(factor, c.view(gradient));
            }
            return;
        }
        case Operation::unscale: {
            const View found = c.view(writes.back());
            for (const Buffer& gradient : writes.first(writes.size() - 1)) {
                c.on.unscale(1 / loss_scale(c), c.view(gradient), found);
            }
            return;
        }
        case Operation::column_sum:
            return c.on.column_sums(c.view(reads[0]), c.view(writes[0]));
        case Operation::token_loss:
            c.on.token_losses(c.view(reads[0]), c.view(reads[1]), c.view(writes[0]));
            c.on.add_mean(c.view(writes[0]), c.loss);
            ++c.loss_count;
            return;
    }
}

void run_optimizer(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    if (kernel.kind == graph::KernelKind::l2_norm) {
        std::vector<View> gradients;
        std::ranges::transform(reads, std::back_inserter(gradients),
                               [&](const Buffer& gradient) { return c.view(gradient); });
        return c.on.sum_of_squares(gradients, c.view(writes[0]));
    }
    // Lists of equally many gradients, weights, first and second moments; then, in fp16, what the
    // search for infinities found.
    if (reads.size() % 4 != 0 && value_of(c, reads.back()) != 0.0F) {
        ++c.skipped;
        return;
    }
    // Weights made of a gradient that is none would be lost; whoever trains is told.
    c.bad_gradient = !c.finite_norm;
    if (c.bad_gradient) {
        return;
    }
    const std::size_t count = reads.size() / 4;
    AdamRule rule;
    rule.learning_rate = static_cast<float>(c.training.learning_rate);
    rule.beta1 = static_cast<float>(c.training.beta1);
    rule.beta2 = static_cast<float>(c.training.beta2);
    rule.epsilon = static_cast<float>(c.training.epsilon);
    rule.weight_decay = static_cast<float>(c.training.weight_decay);
    rule.step = ++c.updates;
    for (std::size_t i = 0; i < count; ++i) {
        c.on.adam(rule, c.view(reads[i]), c.view(writes[i]), c.view(writes[count + i]),
                  c.view(writes[2 * count + i]));
    }
}

}  // namespace prismllm::device
