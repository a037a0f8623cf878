// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The embedding of the first virtual stage: words split over the tensor group by vocabulary,
/// learned positions whole on every rank, and the norm that some models put behind them.
#pragma once

#include "context.hpp"
#include "weights.hpp"

namespace prismllm::program {

/// What the backward pass of one micro-batch needs.
struct SavedEmbedding {
    Buffer tokens;        ///< ids, int64 [tokens]; data loading writes them
    Buffer positions;     ///< ids, int64 [tokens]; learned positions only
    Buffer norm_input;    ///< embedding norm only
    Buffer shared_table;  ///< tied head of this chunk: what autograd adds the table gradient to
};

/// Returns [sharded tokens, hidden]. Learned positions are added to the whole sequence, so that
/// with sequence parallelism the words are all-reduced and the sum is cut, as in Megatron-LM;
/// without positions one reduce-scatter does both.
[[nodiscard]] Buffer embedding_forward(const Context& context, const EmbeddingWeights& weights,
                                       SavedEmbedding& saved);

/// Consumes `grad` [sharded tokens, hidden] and `saved`. PyTorch makes a dense gradient of the
/// whole table, which a hook then adds to the main gradient.
void embedding_backward(const Context& context, const EmbeddingWeights& weights,
                        const SavedEmbedding& saved, Buffer grad);

}  // namespace prismllm::program
