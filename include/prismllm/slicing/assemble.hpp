// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/slicing/assemble.hpp
/// From slices to classes: equal op lists become one class, ranks point to classes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/graph/interner.hpp"

namespace prismllm::slicing {

/// Collects slices recorded against one Interner and makes the execution graph of them.
class Assembler {
public:
    /// @return number of the class; an op list seen before gives the earlier number.
    std::int32_t add_slice(std::string name, std::int32_t stage, std::vector<graph::Op> ops);
    /// Ranks first .. first+count-1 are of this class. Call in rank order.
    void assign(std::int64_t first, std::int64_t count, std::int32_t rank_class);
    /// @pre the assigned ranks cover 0 .. world_size-1.
    [[nodiscard]] graph::ExecutionGraph finish(const graph::Interner& interner,
                                               std::vector<std::string> streams,
                                               std::vector<graph::Family> families,
                                               std::int64_t world_size,
                                               std::int64_t ranks_per_node) &&;

private:
    std::vector<graph::RankClass> classes_;
    std::vector<graph::RankRun> runs_;
    std::unordered_multimap<std::uint64_t, std::int32_t> by_hash_;
};

}  // namespace prismllm::slicing
