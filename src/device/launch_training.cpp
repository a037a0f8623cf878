// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Loss, gradients and optimizer.
#include <algorithm>
#include <cmath>

#include "prismllm/base/error.hpp"
#include "prismllm/program/kernels.hpp"

#include "launch.hpp"
#include "matrix.hpp"
#include "optimizer_math.hpp"
#include "vocabulary.hpp"

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

void note_loss(KernelContext& c, In losses) {
    double sum = 0;
    for (const float loss : losses) {
        sum += static_cast<double>(loss);
    }
    c.loss += sum / static_cast<double>(losses.size());
    ++c.loss_count;
}

}  // namespace

void run_loss(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    const VocabularyPart part = vocabulary_part(c, kernel);
    switch (static_cast<CrossEntropyPart>(kernel.shape[2])) {
        case CrossEntropyPart::maximum: {
            const Out logits = c.floats(writes[0]);
            std::ranges::copy(c.floats(reads[0]), logits.begin());
            return largest_logits(part, logits, c.floats(writes[1]));
        }
        case CrossEntropyPart::exponentials:
            return exponentials(part, c.floats(reads[1]), c.memory.ids(reads[2]),
                                c.floats(writes[0]), c.floats(writes[1]), c.floats(writes[2]));
        case CrossEntropyPart::gradient: {
            // The step minimizes the mean over the tokens of all micro-batches.
            const auto terms = static_cast<float>(part.tokens * c.setup.layout.micro_batches);
            return loss_gradient(part, c.floats(reads[0]), c.floats(reads[1]),
                                 c.memory.ids(reads[2]), loss_scale(c) / terms,
                                 c.floats(writes[0]));
        }
    }
}

void run_elementwise(KernelContext& c, const graph::Kernel& kernel, Operands reads,
                     Operands writes) {
    switch (static_cast<Operation>(kernel.shape[3])) {
        case Operation::add:
            return add(c.floats(reads[0]), c.floats(reads[1]), c.floats(writes[0]));
        case Operation::mean_share: {
            const std::int64_t replicas = c.setup.layout.data * c.setup.layout.context;
            return scale(1.0F / static_cast<float>(replicas), c.floats(writes[0]));
        }
        case Operation::clip: {
            const float squares = c.floats(reads.back())[0];
            c.finite_norm = std::isfinite(squares);
            const float factor = clip_factor(static_cast<double>(squares),
                                             static_cast<float>(c.training.clip_gradient));
            for (const Buffer& gradient : writes) {
                scale(factor, c.floats(gradient));
            }
            return;
        }
        case Operation::unscale: {
            float& found = c.floats(writes.back())[0];
            for (const Buffer& gradient : writes.first(writes.size() - 1)) {
                if (!unscale(1 / loss_scale(c), c.floats(gradient))) {
                    found = 1;
                }
            }
            return;
        }
        case Operation::column_sum:
            return column_sums(c.floats(reads[0]), c.floats(writes[0]));
        case Operation::token_loss:
            token_losses(c.floats(reads[0]), c.floats(reads[1]), c.floats(writes[0]));
            return note_loss(c, c.floats(writes[0]));
    }
}

void run_optimizer(KernelContext& c, const graph::Kernel& kernel, Operands reads, Operands writes) {
    if (kernel.kind == graph::KernelKind::l2_norm) {
        double squares = 0;
        for (const Buffer& gradient : reads) {
            squares += sum_of_squares(c.floats(gradient));
        }
        c.floats(writes[0])[0] = static_cast<float>(squares);
        return;
    }
    // Lists of equally many gradients, weights, first and second moments; then, in fp16, what the
    // search for infinities found.
    if (reads.size() % 4 != 0 && c.floats(reads.back())[0] != 0.0F) {
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
        adam(rule, c.floats(reads[i]), c.floats(writes[i]), c.floats(writes[count + i]),
             c.floats(writes[2 * count + i]));
    }
}

}  // namespace prismllm::device
