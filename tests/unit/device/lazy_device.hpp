// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A GPU played on the host: its streams do nothing until somebody waits for them, and its memory
/// begins as NaN. What works in order alone fails here.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/device/transport.hpp"

#include "host_device.hpp"
#include "streamed_device.hpp"

namespace prismllm::device {

/// Streams are queues. Time is the number of tasks done.
class LazyDriver final : public Driver {
public:
    /// What is left of everything when the driver is gone.
    struct Leftovers {
        std::size_t streams = 0, events = 0, blocks = 0;
    };
    /// When streams go on: all of them as late as they may, or all but the first as early.
    enum class Order { late, others_first };
    explicit LazyDriver(Leftovers& leftovers, Order order = Order::late)
        : leftovers_{leftovers}, order_{order} {}
    ~LazyDriver() override { leftovers_ = {queues_.size(), events_.size(), blocks_.size()}; }

    using Task = std::function<void()>;
    void enqueue(Stream stream, Task task) {
        queues_.at(stream).push_back({std::move(task), {}});
        while (order_ == Order::others_first && stream != queues_.begin()->first &&
               !queues_.at(stream).empty() && may_go_on(stream)) {
            step(stream);
        }
    }

    [[nodiscard]] Stream create_stream() override {
        Stream stream = handle();
        queues_[stream];
        return stream;
    }
    void destroy_stream(Stream stream) override {
        synchronize(stream);
        queues_.erase(stream);
    }
    [[nodiscard]] Event create_event(EventUse) override {
        Event event = handle();
        events_[event] = {};
        return event;
    }
    void destroy_event(Event event) override { EXPECT_EQ(events_.erase(event), 1U); }
    void record(Event event, Stream stream) override {
        const auto mark = std::make_shared<Mark>();
        mark->stream = stream;
        events_.at(event) = mark;
        enqueue(stream, [this, mark] {
            mark->happened = true;
            mark->time = done_;
        });
    }
    void wait(Stream stream, Event event) override {
        queues_.at(stream).push_back({[] {}, events_.at(event)});
    }
    void synchronize(Stream stream) override {
        while (!queues_.at(stream).empty()) {
            const Entry entry = queues_.at(stream).front();
            while (entry.after && !entry.after->happened) {
                step(entry.after->stream);
            }
            step(stream);
        }
    }
    [[nodiscard]] std::int64_t elapsed_ps(Event from, Event to) override {
        EXPECT_TRUE(events_.at(from)->happened && events_.at(to)->happened);
        return events_.at(to)->time - events_.at(from)->time;
    }
    [[nodiscard]] void* allocate(std::int64_t bytes, Stream stream) override {
        if (bytes > room) {
            return nullptr;
        }
        const auto size = static_cast<std::size_t>(bytes);
        auto block = std::make_unique<std::byte[]>(size);
        void* data = block.get();
        // NaN in all precisions, whoever wrote it before its turn.
        enqueue(stream, [=] { std::memset(data, 0xff, size); });
        blocks_.emplace(data, std::move(block));
        return data;
    }
    void release(void* data, Stream stream) override {
        enqueue(stream, [this, data] { EXPECT_EQ(blocks_.erase(data), 1U); });
    }
    void zero(void* data, std::int64_t bytes, Stream stream) override {
        enqueue(stream, [=] { std::memset(data, 0, static_cast<std::size_t>(bytes)); });
    }
    void copy_in(const void* from, void* to, std::int64_t bytes, Stream stream) override {
        enqueue(stream, [=] { std::memcpy(to, from, static_cast<std::size_t>(bytes)); });
    }
    void copy_out(const void* from, void* to, std::int64_t bytes, Stream stream) override {
        copy_in(from, to, bytes, stream);
    }

    std::int64_t room = std::int64_t{1} << 40;

private:
    struct Mark {
        Stream stream = nullptr;
        bool happened = false;
        std::int64_t time = 0;
    };
    struct Entry {
        Task task;
        std::shared_ptr<Mark> after;
    };
    [[nodiscard]] bool may_go_on(Stream stream) const {
        const Entry& entry = queues_.at(stream).front();
        return !entry.after || entry.after->happened;
    }
    /// The first task of a queue, if what it waits for has happened; else a step towards that.
    void step(Stream stream) {
        std::deque<Entry>& queue = queues_.at(stream);
        const Entry entry = queue.front();
        if (entry.after && !entry.after->happened) {
            return step(entry.after->stream);
        }
        queue.pop_front();
        ++done_;
        entry.task();
    }
    [[nodiscard]] void* handle() { return reinterpret_cast<void*>(++last_handle_); }

    Leftovers& leftovers_;
    Order order_;
    std::uintptr_t last_handle_ = 0;
    std::int64_t done_ = 0;
    std::map<Stream, std::deque<Entry>> queues_;
    std::map<Event, std::shared_ptr<Mark>> events_;
    std::map<void*, std::unique_ptr<std::byte[]>> blocks_;
};

/// The host's operations, when their turn comes.
class LazyOperations final : public StreamOperations {
public:
    explicit LazyOperations(LazyDriver& driver) : driver_{driver} {}
    void use(Driver::Stream stream) override { stream_ = stream; }
    [[nodiscard]] graph::DType stored_as(graph::DType dtype) const override {
        return host_->stored_as(dtype);
    }

    void linear_forward(const LinearShape& shape, View in, View weight, View bias,
                        View out) override {
        later([=](Operations& on) { on.linear_forward(shape, in, weight, bias, out); });
    }
    void linear_input_gradient(const LinearShape& shape, View grad, View weight,
                               View grad_in) override {
        later([=](Operations& on) { on.linear_input_gradient(shape, grad, weight, grad_in); });
    }
    void linear_weight_gradient(const LinearShape& shape, View grad, View in,
                                View gradient) override {
        later([=](Operations& on) { on.linear_weight_gradient(shape, grad, in, gradient); });
    }
    void column_sums(View in, View sums) override {
        later([=](Operations& on) { on.column_sums(in, sums); });
    }
    void attention_forward(const AttentionSizes& sizes, const QueriesKeysValuesView& in, View out,
                           View log_sum_exp) override {
        later([=](Operations& on) { on.attention_forward(sizes, in, out, log_sum_exp); });
    }
    void attention_backward(const AttentionSizes& sizes, const QueriesKeysValuesView& in, View out,
                            View log_sum_exp, View grad_out,
                            const QueriesKeysValuesView& gradient) override {
        later([=](Operations& on) {
            on.attention_backward(sizes, in, out, log_sum_exp, grad_out, gradient);
        });
    }
    void attention_scores(const AttentionSizes& sizes, const QueriesKeysValuesView& in,
                          View scores) override {
        later([=](Operations& on) { on.attention_scores(sizes, in, scores); });
    }
    void masked_softmax(const AttentionSizes& sizes, View scores) override {
        later([=](Operations& on) { on.masked_softmax(sizes, scores); });
    }
    void attention_context(const AttentionSizes& sizes, View probabilities, const HeadsView& values,
                           View out) override {
        later([=](Operations& on) { on.attention_context(sizes, probabilities, values, out); });
    }
    void probability_gradient(const AttentionSizes& sizes, View grad_out, const HeadsView& values,
                              View grad_probabilities) override {
        later([=](Operations& on) {
            on.probability_gradient(sizes, grad_out, values, grad_probabilities);
        });
    }
    void value_gradient(const AttentionSizes& sizes, View probabilities, View grad_out,
                        const HeadsView& grad_values) override {
        later([=](Operations& on) {
            on.value_gradient(sizes, probabilities, grad_out, grad_values);
        });
    }
    void masked_softmax_gradient(const AttentionSizes& sizes, View probabilities,
                                 View grad) override {
        later([=](Operations& on) { on.masked_softmax_gradient(sizes, probabilities, grad); });
    }
    void query_gradient(const AttentionSizes& sizes, View grad_scores, const HeadsView& keys,
                        const HeadsView& grad_queries) override {
        later([=](Operations& on) { on.query_gradient(sizes, grad_scores, keys, grad_queries); });
    }
    void key_gradient(const AttentionSizes& sizes, View grad_scores, const HeadsView& queries,
                      const HeadsView& grad_keys) override {
        later([=](Operations& on) { on.key_gradient(sizes, grad_scores, queries, grad_keys); });
    }
    void norm_forward(const RowShape& in_shape, View in, View scale, View shift,
                      const RowShape& out_shape, View out) override {
        later([=](Operations& on) { on.norm_forward(in_shape, in, scale, shift, out_shape, out); });
    }
    void norm_backward(const RowShape& grad_shape, View grad, const RowShape& in_shape, View in,
                       View scale, View grad_in, View grad_scale, View grad_shift) override {
        later([=](Operations& on) {
            on.norm_backward(grad_shape, grad, in_shape, in, scale, grad_in, grad_scale,
                             grad_shift);
        });
    }
    void activation_forward(const ActivationShape& shape, View in, View out) override {
        later([=](Operations& on) { on.activation_forward(shape, in, out); });
    }
    void activation_backward(const ActivationShape& shape, View in, View grad,
                             View grad_in) override {
        later([=](Operations& on) { on.activation_backward(shape, in, grad, grad_in); });
    }
    void dropout_forward(const DropoutRule& rule, View in, View out, View mask) override {
        later([=](Operations& on) { on.dropout_forward(rule, in, out, mask); });
    }
    void dropout_backward(const DropoutRule& rule, View grad, View mask, View grad_in) override {
        later([=](Operations& on) { on.dropout_backward(rule, grad, mask, grad_in); });
    }
    void residual_add(const DropoutRule& rule, View in, View update, View bias, View out,
                      View mask) override {
        later([=](Operations& on) { on.residual_add(rule, in, update, bias, out, mask); });
    }
    void rope(const RopeShape& shape, View in_out) override {
        later([=](Operations& on) { on.rope(shape, in_out); });
    }
    void add(View a, View b, View out) override {
        later([=](Operations& on) { on.add(a, b, out); });
    }
    void scale(float factor, View in_out) override {
        later([=](Operations& on) { on.scale(factor, in_out); });
    }
    void fill(float value, View out) override {
        later([=](Operations& on) { on.fill(value, out); });
    }
    void copy(View from, View to) override {
        later([=](Operations& on) { on.copy(from, to); });
    }
    void embedding_forward(std::int64_t columns, std::int64_t first, View ids, View table,
                           View out) override {
        later([=](Operations& on) { on.embedding_forward(columns, first, ids, table, out); });
    }
    void embedding_backward(std::int64_t columns, std::int64_t first, View ids, View grad,
                            View dense) override {
        later([=](Operations& on) { on.embedding_backward(columns, first, ids, grad, dense); });
    }
    void largest_logits(const VocabularyPart& part, View logits, View largest) override {
        later([=](Operations& on) { on.largest_logits(part, logits, largest); });
    }
    void exponentials(const VocabularyPart& part, View largest, View labels, View logits,
                      View predicted, View sums) override {
        later([=](Operations& on) {
            on.exponentials(part, largest, labels, logits, predicted, sums);
        });
    }
    void token_losses(View sums, View predicted, View losses) override {
        later([=](Operations& on) { on.token_losses(sums, predicted, losses); });
    }
    void loss_gradient(const VocabularyPart& part, View exponentials, View sums, View labels,
                       float factor, View grad) override {
        later([=](Operations& on) {
            on.loss_gradient(part, exponentials, sums, labels, factor, grad);
        });
    }
    void sum_of_squares(std::span<const View> in, View squares) override {
        later([copied = std::vector<View>(in.begin(), in.end()), squares](Operations& on) {
            on.sum_of_squares(copied, squares);
        });
    }
    void unscale(float factor, View in_out, View found) override {
        later([=](Operations& on) { on.unscale(factor, in_out, found); });
    }
    void adam(const AdamRule& rule, View gradient, View weights, View moment1,
              View moment2) override {
        later([=](Operations& on) { on.adam(rule, gradient, weights, moment1, moment2); });
    }
    void add_mean(View losses, double* sum) override {
        later([=](Operations& on) { on.add_mean(losses, sum); });
    }
    void round_to(graph::DType dtype, View in_out) override {
        later([=](Operations& on) { on.round_to(dtype, in_out); });
    }

private:
    void later(std::function<void(Operations&)> operation) {
        driver_.enqueue(
            stream_, [this, operation = std::move(operation)] { operation(host_->operations()); });
    }

    LazyDriver& driver_;
    Driver::Stream stream_ = nullptr;
    std::unique_ptr<Device> host_ = make_host_device();
};

/// A transport's calls, when their turn comes.
class LazyCollectives final : public StreamCollectives {
public:
    LazyCollectives(LazyDriver& driver, Transport& transport)
        : driver_{driver}, transport_{transport} {}

    [[nodiscard]] std::vector<std::byte> make_id() override { return {std::byte{42}}; }
    void join(graph::FamilyIndex family, const std::vector<std::byte>& id, int size,
              int position) override {
        const auto place = transport_.real_group(family);
        ASSERT_TRUE(place && !id.empty());
        EXPECT_EQ(id.front(), std::byte{42});
        EXPECT_EQ(size, place->size);
        EXPECT_EQ(position, place->position);
        joined_.insert(family);
    }
    void use(Driver::Stream stream) override { stream_ = stream; }
    void queue(const graph::Communication& call, View in, View out) override {
        EXPECT_TRUE(joined_.contains(call.family));
        batch_.push_back({call, in, out});
        if (!in_batch_) {
            start();
        }
    }
    void begin_batch() override { in_batch_ = true; }
    void end_batch() override {
        in_batch_ = false;
        start();
    }
    [[nodiscard]] std::size_t calls() const { return calls_; }

private:
    struct Call {
        graph::Communication call;
        View in, out;
    };
    static std::span<float> floats(View view) {
        return {static_cast<float*>(view.data), static_cast<std::size_t>(view.elements)};
    }
    void start() {
        calls_ += batch_.size();
        driver_.enqueue(stream_, [this, calls = std::exchange(batch_, {})] {
            std::vector<std::uint64_t> tickets;
            for (const Call& c : calls) {
                if (c.call.kind == graph::CollectiveKind::send) {
                    tickets.push_back(transport_.start_send(c.call, floats(c.in)));
                } else if (c.call.kind == graph::CollectiveKind::recv) {
                    tickets.push_back(transport_.start_recv(c.call, floats(c.out)));
                } else {
                    transport_.collective(c.call, floats(c.in), floats(c.out));
                }
            }
            std::ranges::for_each(tickets, [&](std::uint64_t t) { transport_.finish(t); });
        });
    }

    LazyDriver& driver_;
    Transport& transport_;
    Driver::Stream stream_ = nullptr;
    std::set<graph::FamilyIndex> joined_;
    std::vector<Call> batch_;
    std::size_t calls_ = 0;
    bool in_batch_ = false;
};

}  // namespace prismllm::device
