// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "vocabulary.hpp"

#include "bodies/rows.hpp"

namespace prismllm::device {

void embedding_forward(std::int64_t columns, std::int64_t first, Ids ids, In table, Out out) {
    const std::int64_t rows = static_cast<std::int64_t>(table.size()) / columns;
    for_each(static_cast<std::int64_t>(ids.size()), [=](std::int64_t t) {
        bodies::embedding_forward(SerialTeam{}, t, columns, first, rows, ids.data(), table.data(),
                                  out.data());
    });
}

void embedding_backward(std::int64_t columns, std::int64_t first, Ids ids, In grad, Out dense) {
    const std::int64_t rows = static_cast<std::int64_t>(dense.size()) / columns;
    // Tokens share rows of the table: column by column, tokens in order.
    for_each(columns, [=](std::int64_t c) {
        for (std::size_t t = 0; t < ids.size(); ++t) {
            const std::int64_t row = ids[t] - first;
            if (row >= 0 && row < rows) {
                dense.data()[row * columns + c] +=
                    grad.data()[static_cast<std::int64_t>(t) * columns + c];
            }
        }
    });
}

void largest_logits(const VocabularyPart& part, In logits, Out largest) {
    for_each(part.tokens, [=](std::int64_t t) {
        bodies::largest_logit(SerialTeam{}, part, t, logits.data(), largest.data());
    });
}

void exponentials(const VocabularyPart& part, In largest, Ids labels, Out logits, Out predicted,
                  Out sums) {
    for_each(part.tokens, [=](std::int64_t t) {
        bodies::exponentials(SerialTeam{}, part, t, largest.data(), labels.data(), logits.data(),
                             predicted.data(), sums.data());
    });
}

void token_losses(In sums, In predicted, Out losses) {
    for_each(static_cast<std::int64_t>(sums.size()), [=](std::int64_t t) {
        bodies::token_loss(t, sums.data(), predicted.data(), losses.data());
    });
}

void loss_gradient(const VocabularyPart& part, In exponentials, In sums, Ids labels, float factor,
                   Out grad) {
    for_each(part.tokens, [=](std::int64_t t) {
        bodies::loss_gradient(SerialTeam{}, part, t, exponentials.data(), sums.data(),
                              labels.data(), factor, grad.data());
    });
}

}  // namespace prismllm::device
