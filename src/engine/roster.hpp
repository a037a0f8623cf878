// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Where every rank of the job stands: its proxy, its cohort, its lane. Made alike on every
/// proxy, so that all number cohorts, groups and links the same way. Dropped after set-up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

#include "call_table.hpp"

namespace prismllm::engine {

/// The ranks of one class on one proxy that advance together. Classes are kept apart by the
/// sizes of the groups they send in, and, where the graph asks for it, by the positions.
struct CohortInfo {
    std::int32_t rank_class = 0;
    std::int32_t proxy = 0;
    std::int32_t lanes = 0;
    std::int32_t table = 0;  ///< index in Roster::tables
};

class Roster {
public:
    Roster(const graph::ExecutionGraph& graph, const CostTable& costs,
           std::span<const std::int32_t> owner);

    const graph::ExecutionGraph& graph;
    std::span<const std::int32_t> owner;
    std::vector<std::int32_t> class_of;
    std::vector<std::int32_t> cohort_of;  ///< [rank]; cohorts are numbered by lowest rank
    std::vector<std::int32_t> lane_of;    ///< [rank]; lanes are in rank order
    std::vector<CohortInfo> cohorts;
    std::vector<CallTable> tables;

    [[nodiscard]] const CallTable& table_of(std::int32_t cohort) const {
        return tables[static_cast<std::size_t>(cohorts[static_cast<std::size_t>(cohort)].table)];
    }
    /// @pre some class communicates in the family.
    [[nodiscard]] const graph::Membership& membership(graph::FamilyIndex family) const {
        return memberships_[family];
    }
    [[nodiscard]] bool is_used(graph::FamilyIndex family) const { return used_[family] != 0; }

private:
    using Key = std::vector<std::int64_t>;
    void find_uses(const graph::ExecutionGraph& g);
    void key_of(std::size_t rank, Key& key) const;
    std::int32_t enter_cohort(std::size_t rank, const Key& key, const CostTable& costs);
    std::int32_t enter_table(std::size_t rank, const CostTable& costs);

    std::vector<std::vector<CommunicationUse>> uses_;        ///< [class]
    std::vector<std::vector<graph::FamilyIndex>> pairwise_;  ///< [class]
    std::vector<std::uint8_t> used_;                         ///< [family]
    std::vector<graph::Membership> memberships_;             ///< [family], used ones
    std::map<Key, std::int32_t> cohort_by_key_, table_by_key_;
};

}  // namespace prismllm::engine
