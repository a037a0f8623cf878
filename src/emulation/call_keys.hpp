// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Which calls of a small job's ranks meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::emulation {

/// Calls match by their number in issue order: collectives in the communicator, messages among
/// those of one direction between two ranks.
class CallKeys {
public:
    /// Family, group or sender, receiver or -1, number. Calls that meet have the same.
    using Key = std::tuple<graph::FamilyIndex, std::int64_t, std::int64_t, std::int64_t>;

    /// The graph outlives the object, which holds a number for every op of every rank.
    explicit CallKeys(const graph::ExecutionGraph& graph);

    [[nodiscard]] const std::vector<graph::Op>& ops(std::int64_t rank) const;
    /// @pre the op is a call
    [[nodiscard]] Key key(std::int64_t rank, std::size_t op) const;
    /// Place of its cost in graph.communication_costs[communication].
    [[nodiscard]] std::size_t shape(std::int64_t rank, std::size_t op) const;
    [[nodiscard]] std::int64_t group_size(std::int64_t rank, graph::FamilyIndex family) const;

private:
    [[nodiscard]] std::int64_t peer(std::int64_t rank, const graph::Communication& call) const;

    const graph::ExecutionGraph& graph_;
    std::vector<std::int32_t> class_of_;               ///< [rank]
    std::vector<graph::Membership> members_;           ///< [family]
    std::vector<std::vector<std::int64_t>> sequence_;  ///< [rank][op] of a call: its number
};

[[nodiscard]] bool is_pairwise(const graph::Communication& call);

}  // namespace prismllm::emulation
