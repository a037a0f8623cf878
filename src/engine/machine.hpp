// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The machine: advances the cohorts of this proxy from one blocking instruction to the next.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/engine/engine.hpp"

#include "calls.hpp"
#include "cohort.hpp"
#include "cost_table.hpp"
#include "flights.hpp"
#include "meetings.hpp"
#include "roster.hpp"
#include "stall_watch.hpp"
#include "transfers.hpp"

namespace prismllm::engine {

/// Above every index of an op.
inline constexpr std::uint32_t every_op = std::numeric_limits<std::uint32_t>::max();

class Machine {
public:
    Machine(const graph::ExecutionGraph& graph, std::vector<std::int32_t> owner, Exchange& exchange,
            Options options);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    [[nodiscard]] Status run_iteration();
    // of a live rank (live.cpp)
    void begin_iteration();
    void issue(std::size_t count);
    [[nodiscard]] bool is_free(std::uint8_t stream) const;
    [[nodiscard]] Expected<std::int64_t> await_stream(std::uint8_t stream);
    [[nodiscard]] Status check_cancelled();
    [[nodiscard]] const LaneResults& results();
    [[nodiscard]] double state_bytes_per_participant() const;
    [[nodiscard]] std::int64_t participant_ops() const { return participant_ops_; }

private:
    // set-up (machine_setup.cpp)
    void make_cohorts(const Roster& roster);
    void fill_cohort(Cohort& cohort);
    void apply_slow_ranks(const Roster& roster);
    void observe(const Roster& roster);

    // one iteration (machine.cpp)
    void start_iteration();
    void draw_keys(Cohort& cohort) const;
    void pause_lanes(Cohort& cohort) const;
    void end_iteration();
    /// The first `count` ops may be run.
    void release_ops(std::uint32_t count);
    [[nodiscard]] Status drive();
    [[nodiscard]] StallWatch::Verdict judge(int idle);
    void drain();
    void settle();
    [[nodiscard]] bool run_deferred();
    [[nodiscard]] Error stalled() const;
    [[nodiscard]] Error interrupted() const;

    // instructions (instructions.cpp)
    void advance(Cohort& cohort);
    void run(Cohort& cohort, Actor& actor, std::uint32_t until_op);
    [[nodiscard]] bool step(Cohort& cohort, Actor& actor);
    [[nodiscard]] const Actor* actor_of(std::uint8_t stream) const;
    [[nodiscard]] bool is_free(const Actor& actor) const;

    // kernels (segments.cpp)
    void run_segment(Cohort& cohort, Actor& actor);
    void run_jittered_segment(Cohort& cohort, Actor& actor);
    void run_live_segment(Cohort& cohort, Actor& actor);
    [[nodiscard]] std::int64_t work_of(const Cohort& cohort, std::size_t lane,
                                       const KernelOp& op) const;
    void note_segment(const Cohort& cohort, const Actor& actor);

    void record(Cohort& cohort, const Instruction& instruction, std::int64_t* slot,
                const lanes::Mesh* level);
    [[nodiscard]] bool record_event(Cohort& cohort, Actor& actor);
    [[nodiscard]] bool wait_for_event(Cohort& cohort, Actor& actor);
    [[nodiscard]] bool make_calls(Actor& actor);

    // results (machine_results.cpp)
    void refresh_accounts();

    const graph::ExecutionGraph& graph_;
    Exchange& exchange_;
    Options options_;
    CostTable costs_;
    Flights flights_;
    WorkList work_;
    Timeline timeline_;
    Calls calls_;
    Meetings meetings_;
    Transfers transfers_;
    StallWatch watch_;
    std::vector<CallTable> tables_;  ///< of local cohorts; the programs refer to them
    std::vector<std::unique_ptr<Program>> programs_;
    std::vector<std::unique_ptr<Cohort>> cohorts_;
    std::vector<std::vector<std::int32_t>> place_;  ///< [cohort][lane], place among the results
    std::vector<lanes::JitteredKernel> kernels_;    ///< scratch of the running segment
    std::vector<std::int64_t> spread_;              ///< scratch: an event, one value a lane
    std::vector<std::int64_t> work_done_;           ///< scratch: jittered work of each lane
    std::int64_t iteration_ = 0;
    std::int64_t unfinished_ = 0;  ///< actors
    std::int64_t steps_ = 0;       ///< instructions executed
    std::uint32_t issued_;         ///< instructions from this op on may not be run yet
    bool begun_ = false;           ///< an iteration is under way
    std::int64_t participant_ops_ = 0;
    bool cancelled_ = false;
    bool broken_ = false;  ///< an iteration has failed; no other can start
    bool stale_ = true;    ///< accounts and timeline of results_ are behind
    LaneResults results_;
};

}  // namespace prismllm::engine
