// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "host_device.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "attention.hpp"
#include "matrix.hpp"
#include "norm.hpp"
#include "optimizer_math.hpp"
#include "pointwise.hpp"
#include "rounding.hpp"
#include "vocabulary.hpp"

namespace prismllm::device {
namespace {

using graph::DType;

Out floats(View view) {
    return {static_cast<float*>(view.data), static_cast<std::size_t>(view.elements)};
}

std::span<std::int64_t> ids_of(View view) {
    return {static_cast<std::int64_t*>(view.data), static_cast<std::size_t>(view.elements)};
}

Heads heads(const HeadsView& view) {
    return {static_cast<const float*>(view.first.data), view.row_stride};
}
MutableHeads mutable_heads(const HeadsView& view) {
    return {static_cast<float*>(view.first.data), view.row_stride};
}
QueriesKeysValues inputs(const QueriesKeysValuesView& view) {
    return {heads(view.queries), heads(view.keys), heads(view.values)};
}

class HostOperations final : public Operations {
public:
    void linear_forward(const LinearShape& shape, View in, View weight, View bias,
                        View out) override {
        device::linear_forward(shape, floats(in), floats(weight), floats(bias), floats(out));
    }
    void linear_input_gradient(const LinearShape& shape, View grad, View weight,
                               View grad_in) override {
        device::linear_input_gradient(shape, floats(grad), floats(weight), floats(grad_in));
    }
    void linear_weight_gradient(const LinearShape& shape, View grad, View in,
                                View gradient) override {
        device::linear_weight_gradient(shape, floats(grad), floats(in), floats(gradient));
    }
    void column_sums(View in, View sums) override { device::column_sums(floats(in), floats(sums)); }

    void attention_forward(const AttentionSizes& sizes, const QueriesKeysValuesView& in, View out,
                           View log_sum_exp) override {
        device::attention_forward(sizes, inputs(in), floats(out), floats(log_sum_exp));
    }
    void attention_backward(const AttentionSizes& sizes, const QueriesKeysValuesView& in, View out,
                            View log_sum_exp, View grad_out,
                            const QueriesKeysValuesView& gradient) override {
        device::attention_backward(sizes, inputs(in), floats(out), floats(log_sum_exp),
                                   floats(grad_out),
                                   {mutable_heads(gradient.queries), mutable_heads(gradient.keys),
                                    mutable_heads(gradient.values)});
    }
    void attention_scores(const AttentionSizes& sizes, const QueriesKeysValuesView& in,
                          View scores) override {
        device::attention_scores(sizes, inputs(in), floats(scores));
    }
    void masked_softmax(const AttentionSizes& sizes, View scores) override {
        device::masked_softmax(sizes, floats(scores));
    }
    void attention_context(const AttentionSizes& sizes, View probabilities, const HeadsView& values,
                           View out) override {
        device::attention_context(sizes, floats(probabilities), heads(values), floats(out));
    }
    void probability_gradient(const AttentionSizes& sizes, View grad_out, const HeadsView& values,
                              View grad_probabilities) override {
        device::probability_gradient(sizes, floats(grad_out), heads(values),
                                     floats(grad_probabilities));
    }
    void value_gradient(const AttentionSizes& sizes, View probabilities, View grad_out,
                        const HeadsView& grad_values) override {
        device::value_gradient(sizes, floats(probabilities), floats(grad_out),
                               mutable_heads(grad_values));
    }
    void masked_softmax_gradient(const AttentionSizes& sizes, View probabilities,
                                 View grad) override {
        device::masked_softmax_gradient(sizes, floats(probabilities), floats(grad));
    }
    void query_gradient(const AttentionSizes& sizes, View grad_scores, const HeadsView& keys,
                        const HeadsView& grad_queries) override {
        device::query_gradient(sizes, floats(grad_scores), heads(keys),
                               mutable_heads(grad_queries));
    }
    void key_gradient(const AttentionSizes& sizes, View grad_scores, const HeadsView& queries,
                      const HeadsView& grad_keys) override {
        device::key_gradient(sizes, floats(grad_scores), heads(queries), mutable_heads(grad_keys));
    }

    void norm_forward(const RowShape& in_shape, View in, View scale, View shift,
                      const RowShape& out_shape, View out) override {
        device::norm_forward(in_shape, floats(in), floats(scale), floats(shift), out_shape,
                             floats(out));
    }
    void norm_backward(const RowShape& grad_shape, View grad, const RowShape& in_shape, View in,
                       View scale, View grad_in, View grad_scale, View grad_shift) override {
        device::norm_backward(grad_shape, floats(grad), in_shape, floats(in), floats(scale),
                              floats(grad_in), floats(grad_scale), floats(grad_shift));
    }

    void activation_forward(const ActivationShape& shape, View in, View out) override {
        device::activation_forward(shape, floats(in), floats(out));
    }
    void activation_backward(const ActivationShape& shape, View in, View grad,
                             View grad_in) override {
        device::activation_backward(shape, floats(in), floats(grad), floats(grad_in));
    }
    void dropout_forward(const DropoutRule& rule, View in, View out, View mask) override {
        device::dropout_forward(rule, floats(in), floats(out), floats(mask));
    }
    void dropout_backward(const DropoutRule& rule, View grad, View mask, View grad_in) override {
        device::dropout_backward(rule, floats(grad), floats(mask), floats(grad_in));
    }
    void residual_add(const DropoutRule& rule, View in, View update, View bias, View out,
                      View mask) override {
        device::residual_add(rule, floats(in), floats(update), floats(bias), floats(out),
                             floats(mask));
    }
    void rope(const RopeShape& shape, View in_out) override { device::rope(shape, floats(in_out)); }
    void add(View a, View b, View out) override { device::add(floats(a), floats(b), floats(out)); }
    void scale(float factor, View in_out) override { device::scale(factor, floats(in_out)); }
    void fill(float value, View out) override { device::fill(value, floats(out)); }
    void copy(View from, View to) override { std::ranges::copy(floats(from), floats(to).begin()); }

    void embedding_forward(std::int64_t columns, std::int64_t first, View ids, View table,
                           View out) override {
        device::embedding_forward(columns, first, ids_of(ids), floats(table), floats(out));
    }
    void embedding_backward(std::int64_t columns, std::int64_t first, View ids, View grad,
                            View dense) override {
        device::embedding_backward(columns, first, ids_of(ids), floats(grad), floats(dense));
    }
    void largest_logits(const VocabularyPart& part, View logits, View largest) override {
        device::largest_logits(part, floats(logits), floats(largest));
    }
    void exponentials(const VocabularyPart& part, View largest, View labels, View logits,
                      View predicted, View sums) override {
        device::exponentials(part, floats(largest), ids_of(labels), floats(logits),
                             floats(predicted), floats(sums));
    }
    void token_losses(View sums, View predicted, View losses) override {
        device::token_losses(floats(sums), floats(predicted), floats(losses));
    }
    void loss_gradient(const VocabularyPart& part, View exponentials, View sums, View labels,
                       float factor, View grad) override {
        device::loss_gradient(part, floats(exponentials), floats(sums), ids_of(labels), factor,
                              floats(grad));
    }

    void sum_of_squares(std::span<const View> in, View squares) override {
        double sum = 0;
        for (const View& view : in) {
            sum += device::sum_of_squares(floats(view));
        }
        floats(squares)[0] = static_cast<float>(sum);
    }
    void unscale(float factor, View in_out, View found) override {
        if (!device::unscale(factor, floats(in_out))) {
            floats(found)[0] = 1;
        }
    }
    void adam(const AdamRule& rule, View gradient, View weights, View moment1,
              View moment2) override {
        device::adam(rule, floats(gradient), floats(weights), floats(moment1), floats(moment2));
    }
    void add_mean(View losses, double* sum) override {
        double all = 0;
        for (const float loss : floats(losses)) {
            all += static_cast<double>(loss);
        }
        *sum += all / static_cast<double>(losses.elements);
    }
    void round_to(DType dtype, View in_out) override {
        if (in_out.dtype == DType::fp32) {
            device::round_to(dtype, floats(in_out));
        }
    }
};

class HostDevice final : public Device {
public:
    HostDevice() { start_host_loops(); }

    [[nodiscard]] Operations& operations() override { return operations_; }
    [[nodiscard]] DType stored_as(DType dtype) const override {
        return dtype == DType::int64 ? DType::int64 : DType::fp32;
    }
    [[nodiscard]] void* allocate(std::int64_t bytes, Start) override {
        void* data = ::operator new(static_cast<std::size_t>(bytes), std::nothrow);
        if (data != nullptr) {
            // Touched here, so that no kernel is charged for it.
            std::memset(data, 0, static_cast<std::size_t>(bytes));
        }
        return data;
    }
    void release(void* data) override { ::operator delete(data); }

    void use(program::Stream) override {}
    void record(std::uint32_t) override {}
    void wait(std::uint32_t) override {}
    void finish() override {}

    void copy_in(const void* from, void* to, std::int64_t bytes) override {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
    void copy_out(const void* from, void* to, std::int64_t bytes) override {
        copy_in(from, to, bytes);
    }
    [[nodiscard]] float* on_host(View view) const override { return floats(view).data(); }

private:
    HostOperations operations_;
};

}  // namespace

std::unique_ptr<Device> make_host_device() {
    return std::make_unique<HostDevice>();
}

}  // namespace prismllm::device
