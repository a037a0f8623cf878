// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The report an engineer wants for a hung job: which stream of which rank waits in which call
/// of which communicator, and who has not come.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

#include "cohort.hpp"
#include "meetings.hpp"
#include "transfers.hpp"

namespace prismllm::engine {

struct StalledJob {
    const graph::ExecutionGraph& graph;
    const std::vector<std::unique_ptr<Cohort>>& cohorts;
    const Meetings& meetings;
    const Transfers& transfers;
    std::int64_t iteration = 0;
};

/// At most ten blocked streams, those in communication calls first.
[[nodiscard]] std::string stall_report(const StalledJob& job);

}  // namespace prismllm::engine
