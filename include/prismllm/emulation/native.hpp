// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/native.hpp
/// A training job whose ranks are all real: each process executes one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/communicator.hpp"
#include "prismllm/emulation/measure.hpp"
#include "prismllm/emulation/pinning.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/store/result_file.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::emulation {

/// The emulated clock of a native run: what an emulation of the same job is held to.
struct NativeClock {
    const graph::ExecutionGraph& graph;  ///< proved and costed, of the same job
    /// Also take the time of all kernels and calls, on the wall's clock.
    bool record = false;
};

struct NativeRun {
    std::vector<double> losses;            ///< [step] mean a token over the global batch, nats
    std::vector<double> step_wall_s;       ///< [step] of the slowest rank
    std::vector<std::int64_t> peak_bytes;  ///< [rank] of live tensors; on process 0 only
    /// With a clock: a step is an iteration; timelines of emulation.timeline_ranks; no account of
    /// waits. Process 0 holds all ranks.
    store::ResultData data;
    /// The clock's graph with the costs that were recorded, means over the steps but the first; on
    /// process 0.
    graph::ExecutionGraph recorded;
    MeasuredKernels measured;
    /// What the kernels of each rank took beside the mean of its class, [rank]; recorded too.
    std::vector<double> rank_factors;
    ProcessPlacement placement;
    std::int64_t skipped_updates = 0;  ///< fp16: those whose scaled gradients overflowed
    /// job_failed if a loss or a gradient was not finite; what was computed before is here.
    Status outcome;
};

/// Whether real ranks can train the job: all that they cannot, a line each.
/// @param text_bytes of the text to train on, or what is wrong with it.
/// @return bad_deck if the step does not do what the job asks for, or tokens do not fit: bytes need
///         a vocabulary of 256, a text one token more than a sequence; else resources if the
///         job's world size is not the number of processes (none: only some ranks are real).
[[nodiscard]] Status check_native(const target::Job& job, std::optional<std::int64_t> processes,
                                  const Expected<std::int64_t>& text_bytes);

/// Called after each step, on every process. True: stop here.
using StepObserver = std::function<bool(std::int64_t step, double loss, double wall_s)>;

/// Train as the job says. Every rank is held to the op list of its class.
/// @param text bytes to train on.
/// @param clock also say when each op would start and end on the target's devices, with the
///        graph's durations or measured ones (emulation.real_durations); null: do not.
/// @return what check_native refuses; bad_deck where a clock is to know jitter or slow ranks;
///         interrupted if an observer stopped it; resources where the processes are to be recorded
///         and run on several machines, whose clocks differ.
/// @collective
[[nodiscard]] Expected<NativeRun> run_native(const comm::Communicator& world,
                                             const target::Job& job,
                                             std::span<const std::byte> text,
                                             const StepObserver& after_step,
                                             const NativeClock* clock = nullptr);

}  // namespace prismllm::emulation
