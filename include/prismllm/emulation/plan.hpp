// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/plan.hpp
/// Who will play what, before anything runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/placement/topology.hpp"

namespace prismllm::emulation {

struct PlannedProcess {
    std::optional<std::int64_t> real;  ///< the rank that it executes; none: a proxy
    std::int64_t ranks = 0;            ///< of the job
    std::int64_t first_rank = -1;      ///< lowest of them
    double share = 0;                  ///< of all participant ops
    std::string seat;  ///< were all processes on one machine: "core 3 (package 0, ...)"
};

struct PlannedCrossing {
    std::string family;
    std::int64_t groups = 0;    ///< all of the family
    std::int64_t crossing = 0;  ///< those with members on several processes
};

struct Plan {
    std::vector<PlannedProcess> processes;
    std::vector<PlannedCrossing> crossings;  ///< families with traffic between processes
    std::string machine;                     ///< in one line
};

/// The placement that emulate() chooses for a number of processes.
/// @param topology of the machine that they would all run on.
/// @return as emulate: bad_deck for ranks outside the job, resources for another number of
///         processes than the real ranks need.
/// @local
[[nodiscard]] Expected<Plan> plan_processes(const graph::ExecutionGraph& graph, int processes,
                                            const std::vector<std::int64_t>& real_ranks,
                                            const placement::Topology& topology,
                                            placement::Pinning pinning);

}  // namespace prismllm::emulation
