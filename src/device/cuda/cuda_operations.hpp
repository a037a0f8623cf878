// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The operations on a GPU. Bodies are those of ../bodies; products of matrices are cuBLAS's.
#pragma once

#include "../stream_operations.hpp"
#include "blas.hpp"

namespace prismllm::device::cuda {

/// Rows of `out` become equal to `row`.
void repeat(cudaStream_t stream, View row, View out);

class CudaOperations final : public StreamOperations {
public:
    /// @param most_scores elements of attention scores that a fused operation may hold at a time
    explicit CudaOperations(std::int64_t most_scores = std::int64_t{1} << 26)
        : most_scores_{most_scores} {}

    void use(Driver::Stream stream) override;
    [[nodiscard]] graph::DType stored_as(graph::DType dtype) const override { return dtype; }

    void linear_forward(const LinearShape& shape, View in, View weight, View bias,
                        View out) override;
    void linear_input_gradient(const LinearShape& shape, View grad, View weight,
                               View grad_in) override;
    void linear_weight_gradient(const LinearShape& shape, View grad, View in,
                                View gradient) override;
    void column_sums(View in, View sums) override;
    void attention_forward(const AttentionSizes& sizes, const QueriesKeysValuesView& in, View out,
                           View log_sum_exp) override;
    void attention_backward(const AttentionSizes& sizes, const QueriesKeysValuesView& in, View out,
                            View log_sum_exp, View grad_out,
                            const QueriesKeysValuesView& gradient) override;
    void attention_scores(const AttentionSizes& sizes, const QueriesKeysValuesView& in,
                          View scores) override;
    void masked_softmax(const AttentionSizes& sizes, View scores) override;
    void attention_context(const AttentionSizes& sizes, View probabilities, const HeadsView& values,
                           View out) override;
    void probability_gradient(const AttentionSizes& sizes, View grad_out, const HeadsView& values,
                              View grad_probabilities) override;
    void value_gradient(const AttentionSizes& sizes, View probabilities, View grad_out,
                        const HeadsView& grad_values) override;
    void masked_softmax_gradient(const AttentionSizes& sizes, View probabilities,
                                 View grad) override;
    void query_gradient(const AttentionSizes& sizes, View grad_scores, const HeadsView& keys,
                        const HeadsView& grad_queries) override;
    void key_gradient(const AttentionSizes& sizes, View grad_scores, const HeadsView& queries,
                      const HeadsView& grad_keys) override;
    void norm_forward(const RowShape& in_shape, View in, View scale, View shift,
                      const RowShape& out_shape, View out) override;
    void norm_backward(const RowShape& grad_shape, View grad, const RowShape& in_shape, View in,
                       View scale, View grad_in, View grad_scale, View grad_shift) override;
    void activation_forward(const ActivationShape& shape, View in, View out) override;
    void activation_backward(const ActivationShape& shape, View in, View grad,
                             View grad_in) override;
    void dropout_forward(const DropoutRule& rule, View in, View out, View mask) override;
    void dropout_backward(const DropoutRule& rule, View grad, View mask, View grad_in) override;
    void residual_add(const DropoutRule& rule, View in, View update, View bias, View out,
                      View mask) override;
    void rope(const RopeShape& shape, View in_out) override;
    void add(View a, View b, View out) override;
    void scale(float factor, View in_out) override;
    void fill(float value, View out) override;
    void copy(View from, View to) override;
    void embedding_forward(std::int64_t columns, std::int64_t first, View ids, View table,
                           View out) override;
    void embedding_backward(std::int64_t columns, std::int64_t first, View ids, View grad,
                            View dense) override;
    void largest_logits(const VocabularyPart& part, View logits, View largest) override;
    void exponentials(const VocabularyPart& part, View largest, View labels, View logits,
                      View predicted, View sums) override;
    void token_losses(View sums, View predicted, View losses) override;
    void loss_gradient(const VocabularyPart& part, View exponentials, View sums, View labels,
                       float factor, View grad) override;
    void sum_of_squares(std::span<const View> in, View squares) override;
    void unscale(float factor, View in_out, View found) override;
    void adam(const AdamRule& rule, View gradient, View weights, View moment1,
              View moment2) override;
    void add_mean(View losses, double* sum) override;
    void round_to(graph::DType dtype, View in_out) override;

private:
    void key_side_gradient(const AttentionSizes& sizes, View matrices,
                           const HeadsView& rows_of_queries, const HeadsView& gradient);
    void multiply(const Product& product, const Matrices& a, const Matrices& b, const Matrices& c);

    std::int64_t most_scores_;
    cudaStream_t stream_ = nullptr;  ///< in use
    Blas blas_;
};

}  // namespace prismllm::device::cuda
