// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "vocabulary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prismllm::device {
namespace {

/// Column of a label in the part; -1 where another rank has it.
std::int64_t column_of(const VocabularyPart& part, std::int64_t label) {
    const std::int64_t column = label - part.first;
    return column >= 0 && column < part.used ? column : -1;
}

}  // namespace

void embedding_forward(std::int64_t columns, std::int64_t first, Ids ids, In table, Out out) {
    const std::int64_t rows = static_cast<std::int64_t>(table.size()) / columns;
    for_each(static_cast<std::int64_t>(ids.size()), [=](std::int64_t t) {
        const std::int64_t row = ids[static_cast<std::size_t>(t)] - first;
        float* to = out.data() + t * columns;
        if (row >= 0 && row < rows) {
            std::copy_n(table.data() + row * columns, columns, to);
        } else {
            std::fill_n(to, columns, 0.0F);
        }
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
        const float* row = logits.data() + t * part.columns;
        float most = std::numeric_limits<float>::lowest();
        for (std::int64_t c = 0; c < part.used; ++c) {
            most = std::max(most, row[c]);
        }
        largest[static_cast<std::size_t>(t)] = most;
    });
}

void exponentials(const VocabularyPart& part, In largest, Ids labels, Out logits, Out predicted,
                  Out sums) {
    for_each(part.tokens, [=](std::int64_t t) {
        const auto at = static_cast<std::size_t>(t);
        float* row = logits.data() + t * part.columns;
        const std::int64_t label = column_of(part, labels[at]);
        predicted[at] = label >= 0 ? row[label] - largest[at] : 0.0F;
        // In double: with 100,000 equal terms fp32 would be wrong by 1e-3.
        double sum = 0;
        for (std::int64_t c = 0; c < part.used; ++c) {
            row[c] = std::exp(row[c] - largest[at]);
            sum += static_cast<double>(row[c]);
        }
        std::fill(row + part.used, row + part.columns, 0.0F);
        sums[at] = static_cast<float>(sum);
    });
}

void token_losses(In sums, In predicted, Out losses) {
    for_each(static_cast<std::int64_t>(sums.size()), [=](std::int64_t t) {
        const auto at = static_cast<std::size_t>(t);
        losses[at] = std::log(sums[at]) - predicted[at];
    });
}

void loss_gradient(const VocabularyPart& part, In exponentials, In sums, Ids labels, float factor,
                   Out grad) {
    for_each(part.tokens, [=](std::int64_t t) {
        const auto at = static_cast<std::size_t>(t);
        const float* row = exponentials.data() + t * part.columns;
        float* to = grad.data() + t * part.columns;
        for (std::int64_t c = 0; c < part.columns; ++c) {
            to[c] = row[c] / sums[at] * factor;
        }
        const std::int64_t label = column_of(part, labels[at]);
        if (label >= 0) {
            to[label] -= factor;
        }
    });
}

}  // namespace prismllm::device
