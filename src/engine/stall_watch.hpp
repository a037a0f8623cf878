// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// How proxies agree that an iteration is over, or that it never will be.
///
/// A proxy with nothing to run joins a vote: an element-wise maximum over all proxies. Each puts
/// its progress count and its balance of vectors (sent - received) into slots of its own, and
/// for each channel the negated numbers of maxima it has started and completed. Proxies go on
/// working while a vote is under way.
///
/// Why two equal votes prove a stall: every proxy joined vote n at some time before vote n ended
/// and joined vote n+1 after it. Equal progress counts say that no proxy executed anything nor
/// saw anything arrive between these two times, so all of them stood still at the end of vote n.
/// At that instant the balances add up to the vectors on their way; they are zero, because a
/// receiver awaits every vector that its peer can send, whether or not its lanes are there yet.
/// A maximum is on its way only if all members have started it and one has not seen it complete:
/// the least started count exceeds the least completed count. So nothing can arrive any more,
/// and nobody can move without it.
///
/// A real rank that waits for the clock of the wall votes too, so that others can end the job; its
/// count rises from vote to vote, so no such vote is equal to the one before.
#pragma once

#include <cstdint>
#include <vector>

#include "prismllm/engine/exchange.hpp"

#include "flights.hpp"

namespace prismllm::engine {

class StallWatch {
public:
    enum class Verdict : std::uint8_t { open, done, stalled, cancelled };

    /// Opens the channel of all proxies; call it after all other channels are open.
    StallWatch(Exchange& exchange, Flights& flights) : exchange_{exchange}, flights_{flights} {}
    void set_up();
    void begin_iteration();

    /// What this proxy says of itself.
    struct Standing {
        bool unfinished = false;
        bool cancelled = false;
        std::int64_t steps = 0;
    };
    /// Join the current vote if not yet done, and look at its outcome.
    /// @pre the proxy has nothing to run.
    [[nodiscard]] Verdict vote(const Standing& standing);
    [[nodiscard]] bool is_voting() const { return voting_; }

private:
    void fill(const Standing& standing);
    [[nodiscard]] Verdict judge() const;
    [[nodiscard]] bool anything_under_way() const;

    Exchange& exchange_;
    Flights& flights_;
    int channel_ = 0;
    bool voting_ = false;
    Exchange::Ticket ticket_ = 0;
    std::vector<std::int64_t> vote_, previous_;
};

}  // namespace prismllm::engine
