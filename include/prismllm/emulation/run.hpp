// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/run.hpp
/// The emulation of a whole job by all processes of an MPI job: hand the graph to everybody,
/// spread virtual participants over proxies, run iterations, sum up.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/communicator.hpp"
#include "prismllm/emulation/pinning.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/store/result_file.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::emulation {

/// Give the graph that process 0 brought to all processes; the others' argument is not looked
/// at. An error of process 0 is returned everywhere.
/// @collective
[[nodiscard]] Expected<graph::ExecutionGraph> share_graph(const comm::Communicator& comm,
                                                          Expected<graph::ExecutionGraph> mine);

/// What real ranks execute. Both outlive the emulation.
struct RealProgram {
    const target::Job& job;           ///< the one that the graph was sliced from
    std::span<const std::byte> text;  ///< to train on, see run_native
};

struct Emulated {
    store::ResultData data;                  ///< `ranks` and `timeline` hold what this process has
    double engine_wall_s = 0;                ///< compile and run, the slowest process
    double state_bytes_per_participant = 0;  ///< the highest of all processes
    store::RealFacts real;
    ProcessPlacement placement;
};

/// Emulate `settings.iterations` iterations of the proved and costed graph. The ranks that
/// `settings.real_ranks` names are executed, each by a process of its own; the others are virtual.
/// @param program what real ranks execute; may be null where there are none.
/// @param cancelled polled now and then; true ends the run with `interrupted`.
/// @return bad_deck for settings that name ranks outside the job, or real ranks that cannot be
///         executed; resources for a number of processes that does not fit the real ranks;
///         job_failed when the job hangs.
/// @throws SystemError (job_failed) where a real rank leaves the graph.
/// @collective
[[nodiscard]] Expected<Emulated> emulate(const comm::Communicator& comm,
                                         const graph::ExecutionGraph& graph,
                                         const target::Emulation& settings,
                                         const target::Published& published,
                                         const RealProgram* program,
                                         const std::function<bool()>& cancelled);

}  // namespace prismllm::emulation
