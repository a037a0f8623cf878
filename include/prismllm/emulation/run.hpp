// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/run.hpp
/// The emulation of a whole job by all processes of an MPI job: hand the graph to everybody,
/// spread virtual participants over proxies, run iterations, sum up.
#pragma once

#include <functional>
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

struct Emulated {
    store::ResultData data;                  ///< `ranks` and `timeline` hold what this process has
    double engine_wall_s = 0;                ///< compile and run, the slowest process
    double state_bytes_per_participant = 0;  ///< the highest of all processes
    ProcessPlacement placement;
};

/// Emulate `settings.iterations` iterations of the proved and costed graph.
/// @param cancelled polled now and then; true ends the run with `interrupted`.
/// @return bad_deck for settings that name ranks outside the job; job_failed when the job hangs.
/// @collective
[[nodiscard]] Expected<Emulated> emulate(const comm::Communicator& comm,
                                         const graph::ExecutionGraph& graph,
                                         const target::Emulation& settings,
                                         const target::Published& published,
                                         const std::function<bool()>& cancelled);

}  // namespace prismllm::emulation
