// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Core attention of one rank's heads: softmax(Q K^T / sqrt(head_dim)) V with a causal mask,
/// fused (Dao et al., arXiv 2205.14135) and in the separate steps of older frameworks.
#pragma once

#include "parallel.hpp"
#include "shapes.hpp"

namespace prismllm::device {

/// Heads beside one another in the rows of a [tokens, row_stride] matrix.
struct Heads {
    const float* data = nullptr;  ///< first head of the first token
    std::int64_t row_stride = 0;
};
struct MutableHeads {
    float* data = nullptr;
    std::int64_t row_stride = 0;
};

struct QueriesKeysValues {
    Heads queries, keys, values;
};
struct QueriesKeysValuesGradient {
    MutableHeads queries, keys, values;
};

/// @param out [tokens, heads x head_dim]
/// @param log_sum_exp [tokens, heads], of the scaled scores
void attention_forward(const AttentionSizes& sizes, const QueriesKeysValues& in, Out out,
                       Out log_sum_exp);
/// Overwrites all of `gradient`.
void attention_backward(const AttentionSizes& sizes, const QueriesKeysValues& in, In out,
                        In log_sum_exp, In grad_out, const QueriesKeysValuesGradient& gradient);

// Unfused: probabilities are [sample x heads + head, sequence, sequence].

/// scores = Q K^T, not scaled
void attention_scores(const AttentionSizes& sizes, const QueriesKeysValues& in, Out scores);
/// In place: scaled by 1/sqrt(head_dim), masked, normalized over each row.
void masked_softmax(const AttentionSizes& sizes, Out scores);
/// out = P V
void attention_context(const AttentionSizes& sizes, In probabilities, const Heads& values, Out out);
/// grad_probabilities = grad_out V^T
void probability_gradient(const AttentionSizes& sizes, In grad_out, const Heads& values,
                          Out grad_probabilities);
/// dV = sum over the heads of a group of P^T grad_out
void value_gradient(const AttentionSizes& sizes, In probabilities, In grad_out,
                    const MutableHeads& grad_values);
/// In place: gradient of the scores before scaling.
void masked_softmax_gradient(const AttentionSizes& sizes, In probabilities, Out grad);
/// dQ = dS K
void query_gradient(const AttentionSizes& sizes, In grad_scores, const Heads& keys,
                    const MutableHeads& grad_queries);
/// dK = sum over the heads of a group of dS^T Q
void key_gradient(const AttentionSizes& sizes, In grad_scores, const Heads& queries,
                  const MutableHeads& grad_keys);

}  // namespace prismllm::device
