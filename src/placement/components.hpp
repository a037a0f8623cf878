// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file components.hpp
/// Virtual ranks that must share a proxy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::placement {

/// Disjoint sets of ranks (union-find). A set's representative is its smallest rank.
class Components {
public:
    explicit Components(std::int64_t ranks);

    /// Put the members of every group of the family into one set.
    void join_groups(const graph::Membership& membership, std::int64_t groups);
    [[nodiscard]] std::int64_t count() const { return count_; }
    /// Component number of every rank; components are numbered by their smallest rank.
    [[nodiscard]] std::vector<std::int32_t> numbers();

private:
    std::int32_t find(std::int32_t rank);

    std::vector<std::int32_t> parent_;
    std::int64_t count_;
};

}  // namespace prismllm::placement
