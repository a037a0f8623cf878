// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/mpi_exchange.hpp
/// The engine's exchange over the processes of an MPI job.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prismllm/comm/backoff.hpp"
#include "prismllm/comm/communicator.hpp"
#include "prismllm/engine/exchange.hpp"

namespace prismllm::emulation {

/// Proxy p is rank p of the communicator, of which a duplicate is used. Every failure of MPI is
/// a SystemError. Nothing waits, and relax() throws SystemError when this proxy has neither
/// started nor finished anything for longer than the silence limit, so that a proxy whose peer
/// has died ends too.
///
/// Destroy it on all proxies, and when it holds no open ticket; where a run ends early, open
/// tickets are abandoned and their send and maximum buffers must live on (comm/request.hpp).
class MpiExchange final : public engine::Exchange {
public:
    /// @collective
    explicit MpiExchange(const comm::Communicator& comm,
                         std::chrono::milliseconds silence_limit = std::chrono::minutes{10});

    [[nodiscard]] int size() const override { return messages_.size(); }
    [[nodiscard]] int self() const override { return messages_.rank(); }

    /// One communicator a channel, so that channels of equal members do not mix. @collective
    int open_channel(std::span<const int> members) override;
    Ticket start_max(int channel, std::span<std::int64_t> values) override;
    /// Throws SystemError (resources) for tags above what the MPI library takes (2^31 - 1 in
    /// Open MPI, never under 32,767).
    Ticket start_send(int to, int tag, std::span<const std::int64_t> values) override;
    Ticket start_recv(int from, int tag, std::span<std::int64_t> values) override;
    bool test(Ticket ticket) override;
    void relax() override;

private:
    Ticket enter(comm::Request request);
    void check_tag(int tag) const;

    comm::Communicator messages_;  ///< sends and receives
    std::vector<std::optional<comm::Communicator>> channels_;
    std::vector<comm::Request> requests_;  ///< [ticket]
    std::vector<Ticket> free_;             ///< tickets to use again
    int largest_tag_ = 0;
    comm::Backoff backoff_;
    comm::Watchdog watchdog_;
};

}  // namespace prismllm::emulation
