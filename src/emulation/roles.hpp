// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Which process plays what.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/communicator.hpp"
#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::emulation {

/// Which ranks of a job are real, and who executes them.
struct RealRanks {
    std::int64_t world_size = 0;      ///< of the job
    std::vector<std::int64_t> ranks;  ///< real ones, ascending
    std::optional<std::int64_t> own;  ///< the one of this process
    [[nodiscard]] bool contains(std::int64_t rank) const;
};

/// All ranks of the job are real, rank r on process r.
[[nodiscard]] RealRanks all_real(const comm::Communicator& world);

struct Roles {
    RealRanks real;
    std::vector<std::int32_t> owner;  ///< process of every rank, [world_size]
};

/// The last processes execute the real ranks, one each in rank order; the others are proxies and
/// share the virtual participants.
/// @param self this process.
/// @param real ranks of the job, each once, in any order.
/// @return resources where processes are too few, or too many for a job without virtual ranks.
[[nodiscard]] Expected<Roles> assign_roles(const graph::ExecutionGraph& graph, int processes,
                                           int self, std::vector<std::int64_t> real);

}  // namespace prismllm::emulation
