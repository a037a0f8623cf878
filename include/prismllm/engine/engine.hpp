// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/engine/engine.hpp
/// The vector machine: replays the op lists of all virtual participants of one proxy as max-plus
/// vector instructions over their clocks (docs/explanation/engine.md). Results do not depend on
/// the number of proxies, on the placement, or on what is observed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/engine/exchange.hpp"
#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::engine {

struct SlowRank {
    std::int64_t rank = 0;
    double factor = 1;
};

struct Pause {
    std::int64_t rank = 0;
    std::int64_t iteration = 0;
    std::int64_t duration_ps = 0;
};

struct Options {
    std::uint64_t seed = 1;
    double jitter = 0;                 ///< relative standard deviation of each kernel duration
    std::vector<SlowRank> slow_ranks;  ///< kernel durations of these are multiplied
    /// Before the iteration begins, the rank does nothing for so long once all its streams are
    /// free.
    std::vector<Pause> pauses;
    std::vector<std::int64_t> timeline_ranks;  ///< ranks whose every op is recorded
    bool account = true;                       ///< fill busy and wait times
    /// Of a proxy that has one rank alone: its ops are run as they are issued, see Engine::issue.
    bool live = false;
    /// Of a live rank: durations of its kernels in picoseconds, [op of its class's list], read once
    /// the op is issued. They take the place of the graph's and of jitter; other ops are not looked
    /// at. Null: as the graph says.
    const std::vector<std::int64_t>* measured_ps = nullptr;
    std::function<bool()> cancelled;  ///< polled now and then; true ends the run early
};

/// How one lane's compute stream (stream 0) spent its time since the start of the job,
/// picoseconds, exactly: its clock = busy + communication + skew + other, summed over families;
/// the lane's end minus that clock is idle time after its last kernel.
/// A wait is booked to the last communication call that its event stands behind. Of each wait
/// `communication` is at most the call's own cost (of a batch: its dearest call), the rest is
/// `skew` (waiting for peers); for the pipeline family the skew is the bubble.
struct LaneAccount {
    std::int64_t busy_ps = 0;
    std::vector<std::int64_t> communication_ps;  ///< [family]
    std::vector<std::int64_t> skew_ps;           ///< [family]
    std::int64_t other_ps = 0;  ///< waits for work of other streams that is no communication
};

struct TimelineEntry {
    std::int64_t rank = 0;
    std::int64_t op = 0;  ///< index in the class's op list
    std::int64_t start_ps = 0, end_ps = 0;
    std::int32_t iteration = 0;
};

/// Outcome on this proxy after any number of iterations.
struct LaneResults {
    std::vector<std::int64_t> ranks;      ///< virtual ranks of this proxy, ascending
    std::vector<std::int64_t> end_ps;     ///< [iteration * lanes + lane], absolute end of iteration
    std::vector<LaneAccount> accounts;    ///< [lane], sums over iterations; empty unless account
    std::vector<TimelineEntry> timeline;  ///< by rank, then start
};

class Engine {
public:
    /// @param owner proxy of every virtual rank, [world_size]; the same on all proxies.
    /// @param graph consistent, costed; must outlive the engine.
    /// Compiles the op lists of the lanes owned by exchange.self() and opens the channels.
    Engine(const graph::ExecutionGraph& graph, std::vector<std::int32_t> owner, Exchange& exchange,
           Options options);
    /// Does not touch the exchange. After an error, operations may still be under way into the
    /// engine's memory: the exchange must be gone, or must not progress any more, before this.
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Run one more iteration; clocks go on from the last one. Called by all proxies together.
    /// After an error no further iteration may be run.
    /// @return job_failed with a report naming ranks, communicators, sequence numbers and
    ///         operations when no lane of any proxy can advance; interrupted when cancelled.
    [[nodiscard]] Status run_iteration();

    /// Of a live engine, in this order: begin an iteration, issue its ops bit by bit, end it with
    /// run_iteration(). Others need not know; results are the same.
    void begin_iteration();
    /// The first `count` ops of the class's list have been issued, batches whole: run what can be
    /// run and hand others what they wait for. Never waits itself. Durations of the kernels among
    /// them (Options::measured_ps) are read now or later.
    void issue(std::size_t count);
    /// Whether everything issued on the stream has ended, as far as this process knows.
    [[nodiscard]] bool is_free(std::uint8_t stream) const;
    /// When the stream is free: the end of everything issued on it, picoseconds. Waits until that
    /// is known, but not for ops of other streams.
    /// @return as run_iteration.
    [[nodiscard]] Expected<std::int64_t> await_stream(std::uint8_t stream);
    /// To be called again and again by a rank that waits for something else: interrupted once the
    /// job is cancelled on any process, when all know of it.
    [[nodiscard]] Status check_cancelled();

    [[nodiscard]] const LaneResults& results() const;
    /// Bytes of clocks, event slots, mailboxes and accounts per participant, at their peak.
    [[nodiscard]] double state_bytes_per_participant() const;
    /// Timed ops executed so far over the lanes of this proxy (graph::participant_ops counts).
    [[nodiscard]] std::int64_t participant_ops() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace prismllm::engine
