// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/placement/assign.hpp
/// Which proxy replays which virtual rank. It never changes a result, only how long the
/// emulation takes: a call whose members sit on one proxy costs nanoseconds, one that crosses
/// proxies a message.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::placement {

/// Communication calls of one iteration by family, summed over the ranks that make them. Calls
/// within groups of one rank do not count: they never leave a proxy.
[[nodiscard]] std::vector<std::int64_t> traffic_by_family(const graph::ExecutionGraph& graph);

/// Proxy of every virtual rank, [world_size].
///
/// The ranks of a node of the target cluster stay together, then groups of the families with the
/// most traffic stay whole, as far as that leaves work for every
/// proxy and no proxy with more than 1.15 times the mean number of ops (or as near to it as the
/// job allows). Neighboring ranks stay together where that costs no balance. Every proxy has
/// ranks when there are enough. The same on all processes.
/// @pre the graph is consistent, proxies > 0.
[[nodiscard]] std::vector<std::int32_t> assign_owners(const graph::ExecutionGraph& graph,
                                                      int proxies);

/// A family with members on several proxies.
struct CrossingFamily {
    graph::FamilyIndex family = 0;
    std::int64_t groups = 0;    ///< all groups of the family
    std::int64_t crossing = 0;  ///< those with members on several proxies
    bool operator==(const CrossingFamily&) const = default;
};
/// Families that cross proxies and have traffic, in family order.
/// @pre owner has an entry for every rank.
[[nodiscard]] std::vector<CrossingFamily> crossing_families(const graph::ExecutionGraph& graph,
                                                            std::span<const std::int32_t> owner);

}  // namespace prismllm::placement
