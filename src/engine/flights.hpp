// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Operations of the exchange that are under way, and the counts from which the stall watch
/// tells whether anything is still to arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "prismllm/engine/exchange.hpp"

namespace prismllm::engine {

class Flights {
public:
    using Arrival = std::function<void(std::vector<std::int64_t>)>;
    using Completion = std::function<void()>;

    explicit Flights(Exchange& exchange) : exchange_{exchange} {}

    [[nodiscard]] int self() const { return exchange_.self(); }
    [[nodiscard]] int size() const { return exchange_.size(); }

    /// A channel of all members; every proxy opens all channels in the same order.
    int open_channel(std::span<const int> members);
    void send(int to, int tag, std::vector<std::int64_t> values);
    void receive(int from, int tag, std::size_t count, Arrival arrival);
    /// `values` stays in place until `completion` has been called.
    void maximum(int channel, std::span<std::int64_t> values, Completion completion);

    /// Deliver what has completed. @return true if anything has.
    bool poll();

    [[nodiscard]] bool none() const { return pending_.empty(); }
    /// Vectors sent minus vectors received, by this proxy.
    [[nodiscard]] std::int64_t balance() const { return sent_ - received_; }
    /// Operations started and completed.
    [[nodiscard]] std::int64_t progress() const { return progress_; }

    struct ChannelCount {
        bool member = false;
        std::int64_t started = 0;
        std::int64_t completed = 0;
    };
    [[nodiscard]] const std::vector<ChannelCount>& channels() const { return channels_; }
    /// Bytes of vectors held for operations under way, at their peak.
    [[nodiscard]] std::size_t peak_bytes() const { return peak_bytes_; }

private:
    struct Pending {
        Exchange::Ticket ticket = 0;
        std::vector<std::int64_t> values;
        Arrival arrival;        ///< of a receive
        Completion completion;  ///< of a maximum
    };
    void hold(std::size_t count);

    Exchange& exchange_;
    std::list<Pending> pending_;
    std::vector<ChannelCount> channels_;  ///< in order of opening
    std::vector<int> exchange_channel_;   ///< number the exchange gave
    std::int64_t sent_ = 0, received_ = 0, progress_ = 0;
    std::size_t bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace prismllm::engine
