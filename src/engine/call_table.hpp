// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What a class calls: its families of collectives and its ports of sends and receives, with
/// the number of calls an iteration. Cheap to make for every class of the job, because peers
/// on other proxies must be known too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

#include "cost_table.hpp"

namespace prismllm::engine {

[[nodiscard]] inline bool is_pairwise(graph::CollectiveKind kind) {
    return kind == graph::CollectiveKind::send || kind == graph::CollectiveKind::recv;
}

/// How one class uses one communication description.
struct CommunicationUse {
    std::uint32_t communication = 0;
    std::uint32_t calls = 0;
    std::uint8_t stream = 0;
    bool several_streams = false;
};
/// In order of first use.
[[nodiscard]] std::vector<CommunicationUse> uses_in(const graph::ExecutionGraph& graph,
                                                    const graph::RankClass& rank_class);

/// Collective calls of one family. Calls of a family are numbered in issue order.
struct FamilyCalls {
    graph::FamilyIndex family = 0;
    std::uint32_t calls = 0;
    std::uint8_t stream = 0;
    /// Issued on several streams: they start in issue order, as calls of one communicator do.
    bool ordered = false;
};

/// Sends to (or receives from) the peer at one distance in one family; numbered in issue order.
struct Port {
    graph::FamilyIndex family = 0;
    std::int64_t delta = 0;  ///< peer position - own position, 0 .. group size - 1
    bool send = false;
    std::uint32_t calls = 0;
    std::uint32_t rendezvous_calls = 0;  ///< those that are not eager
    std::uint8_t stream = 0;
    bool ordered = false;
};

struct CallTable {
    static constexpr std::uint16_t none = 0xffff;

    std::vector<FamilyCalls> families;
    std::vector<Port> ports;
    std::vector<std::uint16_t> place;  ///< [communication], index in families or ports

    [[nodiscard]] int port_of(graph::FamilyIndex family, std::int64_t delta, bool send) const;
};

/// @param group_size [family], size of the groups of the ranks concerned; 0: not members.
[[nodiscard]] CallTable make_call_table(const graph::ExecutionGraph& graph, const CostTable& costs,
                                        std::span<const CommunicationUse> uses,
                                        std::span<const std::int64_t> group_size);

}  // namespace prismllm::engine
