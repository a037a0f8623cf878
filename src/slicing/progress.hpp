// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Runs a job without time: each stream of each unit goes as far as its peers let it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "channels.hpp"

namespace prismllm::slicing {

/// Why a stream stands still.
enum class Standstill : std::uint8_t { finished, in_call, awaits_stream };

class Progress {
public:
    /// The arguments must outlive it.
    Progress(const SyncJob& job, const Partition& partition, std::span<const Channel> channels);

    /// Advance every stream until none can go on.
    /// @return true if all have finished.
    [[nodiscard]] bool run();

    /// The rest is for reports, after run() has returned false.
    [[nodiscard]] Standstill state_of(std::uint32_t unit, std::uint8_t slot) const;
    /// The step a stream stands in. @pre it has not finished.
    [[nodiscard]] const Step& step_of(std::uint32_t unit, std::uint8_t slot) const;
    [[nodiscard]] bool has_started(std::uint32_t unit, const Call& call) const;

private:
    struct Actor {
        std::uint32_t unit = 0;
        std::uint32_t step = 0;
        std::uint32_t pending = 0;  ///< meetings of the step at hand that have not taken place
        std::uint8_t slot = 0;
        bool in_call = false;  ///< the step at hand has started
        bool awaits_stream = false;
    };
    /// A meeting some of whose parties have come.
    struct Meeting {
        std::uint32_t number = 0;
        std::uint32_t arrived = 0;
    };

    [[nodiscard]] std::uint32_t actor_of(std::uint32_t unit, std::uint8_t slot) const {
        return first_actor_[unit] + slot;
    }
    [[nodiscard]] const SyncProgram& program_of(std::uint32_t unit) const {
        return job_.program_of(unit, partition_);
    }
    void advance(std::uint32_t number);
    void start(std::uint32_t number, const Step& step);
    void arrive(std::uint32_t channel, std::uint32_t number);
    void notify(std::uint32_t channel, std::uint32_t number);
    void wake_streams(std::uint32_t unit);

    const SyncJob& job_;
    const Partition& partition_;
    std::span<const Channel> channels_;
    ChannelIndex index_;
    std::vector<std::uint32_t> first_actor_;  ///< [unit]
    std::vector<Actor> actors_;
    std::vector<std::uint32_t> sleepers_;         ///< [unit], actors that await a stream
    std::vector<std::vector<Meeting>> meetings_;  ///< [channel], open ones, ascending
    std::vector<std::uint32_t> ready_;
    std::uint32_t running_ = 0;
};

}  // namespace prismllm::slicing
