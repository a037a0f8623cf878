// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Work on a table of rows cut over ranks: embedding and the loss over a vocabulary.
#pragma once

#include "parallel.hpp"
#include "shapes.hpp"

namespace prismllm::device {

/// out [ids, columns] = rows of the table part that begins with row `first`; ids outside of the
/// part give zeros (another rank has them).
void embedding_forward(std::int64_t columns, std::int64_t first, Ids ids, In table, Out out);
/// dense [rows, columns] += rows of grad [ids, columns] by id.
void embedding_backward(std::int64_t columns, std::int64_t first, Ids ids, In grad, Out dense);

/// largest [tokens]: maximum over the used columns (lowest float where there are none).
void largest_logits(const VocabularyPart& part, In logits, Out largest);
/// In place exp(logit - largest), 0 in the padding; predicted [tokens]: logit - largest of the
/// label, 0 where another rank has it; sums [tokens] of the exponentials.
void exponentials(const VocabularyPart& part, In largest, Ids labels, Out logits, Out predicted,
                  Out sums);
/// losses [tokens] = log(sum) - predicted
void token_losses(In sums, In predicted, Out losses);
/// grad = (exponentials / sum - one hot) * factor
void loss_gradient(const VocabularyPart& part, In exponentials, In sums, Ids labels, float factor,
                   Out grad);

}  // namespace prismllm::device
