// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What a device must be able to compute for a training step. Each operation is stated where the
/// host has it: attention.hpp, matrix.hpp, norm.hpp, optimizer_math.hpp, pointwise.hpp,
/// vocabulary.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "prismllm/graph/kernel.hpp"

#include "shapes.hpp"

namespace prismllm::device {

/// Elements in a device's memory, in the precision in which that device stores them.
struct View {
    void* data = nullptr;
    graph::DType dtype = graph::DType::fp32;
    std::int64_t elements = 0;

    [[nodiscard]] bool empty() const { return elements == 0; }
    /// `count` elements behind the first `first`.
    [[nodiscard]] View part(std::int64_t first, std::int64_t count) const {
        return {static_cast<char*>(data) + first * size_of(dtype), dtype, count};
    }
    [[nodiscard]] View behind(std::int64_t first) const { return part(first, elements - first); }
};

/// Heads beside one another in the rows of a [tokens, row_stride] matrix.
struct HeadsView {
    View first;  ///< begins with the first head of the first token
    std::int64_t row_stride = 0;
};
struct QueriesKeysValuesView {
    HeadsView queries, keys, values;
};

class Operations {
public:
    virtual ~Operations() = default;

    virtual void linear_forward(const LinearShape& shape, View in, View weight, View bias,
                                View out) = 0;
    virtual void linear_input_gradient(const LinearShape& shape, View grad, View weight,
                                       View grad_in) = 0;
    virtual void linear_weight_gradient(const LinearShape& shape, View grad, View in,
                                        View gradient) = 0;
    virtual void column_sums(View in, View sums) = 0;

    virtual void attention_forward(const AttentionSizes& sizes, const QueriesKeysValuesView& in,
                                   View out, View log_sum_exp) = 0;
    virtual void attention_backward(const AttentionSizes& sizes, const QueriesKeysValuesView& in,
                                    View out, View log_sum_exp, View grad_out,
                                    const QueriesKeysValuesView& gradient) = 0;
    virtual void attention_scores(const AttentionSizes& sizes, const QueriesKeysValuesView& in,
                                  View scores) = 0;
    virtual void masked_softmax(const AttentionSizes& sizes, View scores) = 0;
    virtual void attention_context(const AttentionSizes& sizes, View probabilities,
                                   const HeadsView& values, View out) = 0;
    virtual void probability_gradient(const AttentionSizes& sizes, View grad_out,
                                      const HeadsView& values, View grad_probabilities) = 0;
    virtual void value_gradient(const AttentionSizes& sizes, View probabilities, View grad_out,
                                const HeadsView& grad_values) = 0;
    virtual void masked_softmax_gradient(const AttentionSizes& sizes, View probabilities,
                                         View grad) = 0;
    virtual void query_gradient(const AttentionSizes& sizes, View grad_scores,
                                const HeadsView& keys, const HeadsView& grad_queries) = 0;
    virtual void key_gradient(const AttentionSizes& sizes, View grad_scores,
                              const HeadsView& queries, const HeadsView& grad_keys) = 0;

    virtual void norm_forward(const RowShape& in_shape, View in, View scale, View shift,
                              const RowShape& out_shape, View out) = 0;
    virtual void norm_backward(const RowShape& grad_shape, View grad, const RowShape& in_shape,
                               View in, View scale, View grad_in, View grad_scale,
                               View grad_shift) = 0;

    virtual void activation_forward(const ActivationShape& shape, View in, View out) = 0;
    virtual void activation_backward(const ActivationShape& shape, View in, View grad,
                                     View grad_in) = 0;
    virtual void dropout_forward(const DropoutRule& rule, View in, View out, View mask) = 0;
    virtual void dropout_backward(const DropoutRule& rule, View grad, View mask, View grad_in) = 0;
    virtual void residual_add(const DropoutRule& rule, View in, View update, View bias, View out,
                              View mask) = 0;
    virtual void rope(const RopeShape& shape, View in_out) = 0;
    virtual void add(View a, View b, View out) = 0;
    virtual void scale(float factor, View in_out) = 0;
    virtual void fill(float value, View out) = 0;
    /// Of equally many elements; values are converted.
    virtual void copy(View from, View to) = 0;

    virtual void embedding_forward(std::int64_t columns, std::int64_t first, View ids, View table,
                                   View out) = 0;
    virtual void embedding_backward(std::int64_t columns, std::int64_t first, View ids, View grad,
                                    View dense) = 0;
    virtual void largest_logits(const VocabularyPart& part, View logits, View largest) = 0;
    virtual void exponentials(const VocabularyPart& part, View largest, View labels, View logits,
                              View predicted, View sums) = 0;
    virtual void token_losses(View sums, View predicted, View losses) = 0;
    virtual void loss_gradient(const VocabularyPart& part, View exponentials, View sums,
                               View labels, float factor, View grad) = 0;

    /// squares [1] = sum of the squares of all elements of all views
    virtual void sum_of_squares(std::span<const View> in, View squares) = 0;
    /// found [1] becomes 1 where a product is not finite, and stays otherwise.
    virtual void unscale(float factor, View in_out, View found) = 0;
    virtual void adam(const AdamRule& rule, View gradient, View weights, View moment1,
                      View moment2) = 0;
    /// sum, in the device's memory, += the mean of the losses
    virtual void add_mean(View losses, double* sum) = 0;
    /// Rounds to what a dtype holds, where that is less than what it is stored as.
    virtual void round_to(graph::DType dtype, View in_out) = 0;
};

}  // namespace prismllm::device
