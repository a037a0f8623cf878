// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The emulated clock of a native run: a few ranks, one op at a time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "prismllm/engine/engine.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/target/job.hpp"

#include "call_keys.hpp"

namespace prismllm::emulation {

/// Says when every op of every rank of a small job starts and ends, by the rules of
/// docs/explanation/engine.md and by the plainest means: each stream of each rank goes on until it
/// waits, round and round. It shares no code with the engine, which native runs are to judge.
class PlainReplay {
public:
    /// @param settings timeline_ranks: whose ops are kept; pauses. Nothing else is looked at.
    /// The graph is consistent and costed, and outlives the replay.
    PlainReplay(const graph::ExecutionGraph& graph, const target::Emulation& settings);

    /// One more iteration.
    /// @param kernel_ps durations of kernels, [rank][op]; empty: the graph's.
    /// @throws SystemError (job_failed) where no rank can go on.
    void iterate(const std::vector<std::vector<std::int64_t>>& kernel_ps);

    /// Ends, timelines and busy times. Waits are not booked: nobody's account has any.
    [[nodiscard]] engine::LaneResults results() const;

private:
    struct Stream {
        std::vector<std::uint32_t> ops;
        std::size_t next = 0;
        bool posted = false;  ///< the calls at `next`
        std::int64_t clock = 0;
    };
    struct Rank {
        std::int64_t number = 0;
        const std::vector<graph::Op>* ops = nullptr;
        std::vector<Stream> streams;
        std::vector<std::int64_t> events;  ///< [event] when it was recorded; -1: not yet
        std::int64_t busy_ps = 0;
        bool observed = false;
    };
    /// Members that came to a call, or the two ends of a message.
    struct Meeting {
        std::int64_t came = 0;
        std::int64_t latest = 0;
        std::int64_t send_ready = -1, recv_ready = -1;
    };
    void pause(Rank& rank) const;
    [[nodiscard]] std::int64_t cost_of(const Rank& rank, std::uint32_t op) const;
    bool advance(Rank& rank, Stream& stream, const std::vector<std::int64_t>& kernel_ps);
    bool communicate(Rank& rank, Stream& stream);
    void post(const Rank& rank, const Stream& stream, std::uint32_t op);
    /// When the call ends for this rank; -1: not known yet.
    [[nodiscard]] std::int64_t end_of(const Rank& rank, const Stream& stream,
                                      std::uint32_t op) const;
    void note(const Rank& rank, std::uint32_t op, std::int64_t start, std::int64_t end);

    const graph::ExecutionGraph& graph_;
    CallKeys keys_;
    std::vector<target::Pause> pauses_;
    std::vector<Rank> ranks_;
    std::map<CallKeys::Key, Meeting> meetings_;
    std::vector<std::int64_t> ends_;  ///< as LaneResults
    std::vector<engine::TimelineEntry> timeline_;
    std::int32_t iteration_ = 0;
};

}  // namespace prismllm::emulation
