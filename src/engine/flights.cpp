// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "flights.hpp"

#include <algorithm>
#include <utility>

namespace prismllm::engine {

int Flights::open_channel(std::span<const int> members) {
    exchange_channel_.push_back(exchange_.open_channel(members));
    ChannelCount count;
    count.member = std::find(members.begin(), members.end(), self()) != members.end();
    channels_.push_back(count);
    return static_cast<int>(channels_.size()) - 1;
}

void Flights::hold(std::size_t count) {
    bytes_ += count * sizeof(std::int64_t);
    peak_bytes_ = std::max(peak_bytes_, bytes_);
}

void Flights::send(int to, int tag, std::vector<std::int64_t> values) {
    ++sent_;
    ++progress_;
    hold(values.size());
    Pending& flight = pending_.emplace_back();
    flight.values = std::move(values);
    flight.ticket = exchange_.start_send(to, tag, flight.values);
}

void Flights::receive(int from, int tag, std::size_t count, Arrival arrival) {
    hold(count);
    Pending& flight = pending_.emplace_back();
    flight.values.resize(count);
    flight.arrival = std::move(arrival);
    flight.ticket = exchange_.start_recv(from, tag, flight.values);
}

void Flights::maximum(int channel, std::span<std::int64_t> values, Completion completion) {
    const auto c = static_cast<std::size_t>(channel);
    ++channels_[c].started;
    ++progress_;
    Pending& flight = pending_.emplace_back();
    flight.completion = [this, c, done = std::move(completion)] {
        ++channels_[c].completed;
        done();
    };
    flight.ticket = exchange_.start_max(exchange_channel_[c], values);
}

bool Flights::poll() {
    bool any = false;
    for (auto flight = pending_.begin(); flight != pending_.end();) {
        if (!exchange_.test(flight->ticket)) {
            ++flight;
            continue;
        }
        any = true;
        ++progress_;
        Pending done = std::move(*flight);
        flight = pending_.erase(flight);
        bytes_ -= done.values.size() * sizeof(std::int64_t);
        if (done.arrival) {
            ++received_;
            done.arrival(std::move(done.values));
        } else if (done.completion) {
            done.completion();
        }
    }
    return any;
}

}  // namespace prismllm::engine
