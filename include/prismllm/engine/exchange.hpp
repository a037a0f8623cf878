// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/engine/exchange.hpp
/// All that the engine asks of the outside: proxies that compute maxima together and hand each
/// other vectors. Nothing blocks; the engine polls. MPI stands behind it in `emulation`; a
/// single process needs none.
#pragma once

#include <cstdint>
#include <span>

namespace prismllm::engine {

class Exchange {
public:
    using Ticket = std::int64_t;

    virtual ~Exchange() = default;
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] virtual int self() const = 0;

    /// Open a channel among `members` (sorted proxy numbers that include self()). Every proxy of
    /// the job calls it for every channel in the same order, members or not.
    /// @return a channel number, valid where self() is a member.
    virtual int open_channel(std::span<const int> members) = 0;

    /// Start an element-wise maximum over the members of the channel. Calls on one channel
    /// match in order. `values` is owned by the exchange until test() says true.
    virtual Ticket start_max(int channel, std::span<std::int64_t> values) = 0;

    /// Start to send / receive a vector. Messages between two proxies match by tag in order.
    virtual Ticket start_send(int to, int tag, std::span<const std::int64_t> values) = 0;
    virtual Ticket start_recv(int from, int tag, std::span<std::int64_t> values) = 0;

    /// True once, when the operation is complete; the ticket is void from then on.
    virtual bool test(Ticket ticket) = 0;
    /// Nothing to do until something arrives: give the core away for a moment.
    virtual void relax() = 0;
};

/// One proxy alone: every maximum is complete at once.
class SoloExchange final : public Exchange {
public:
    [[nodiscard]] int size() const override { return 1; }
    [[nodiscard]] int self() const override { return 0; }
    int open_channel(std::span<const int>) override { return channels_++; }
    Ticket start_max(int, std::span<std::int64_t>) override { return 0; }
    Ticket start_send(int, int, std::span<const std::int64_t>) override { return 0; }
    Ticket start_recv(int, int, std::span<std::int64_t>) override { return 0; }
    bool test(Ticket) override { return true; }
    void relax() override {}

private:
    int channels_ = 0;
};

}  // namespace prismllm::engine
