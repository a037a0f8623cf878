// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/graph/memory.hpp
/// Peak of the simple sum of live tensor bytes. No allocator is emulated: no rounding, no
/// fragmentation, no communicator buffers; reports label the number as a simple sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {

struct MemoryPeak {
    std::int64_t bytes = 0;
    std::int64_t op = -1;  ///< allocate op that first reaches the peak; -1: nothing allocated
    std::array<std::int64_t, tensor_role_count> bytes_by_role{};  ///< held at the peak
    std::int64_t end_bytes = 0;  ///< still held after the last op (weights, optimizer state)

    [[nodiscard]] std::int64_t of(TensorRole role) const {
        return bytes_by_role[static_cast<std::size_t>(role)];
    }
    bool operator==(const MemoryPeak&) const = default;
};

/// Walk one class's ops in issue order. What lives from the start of the step (weights,
/// optimizer state) is allocated by ops at its head like everything else.
/// @pre the graph is consistent.
[[nodiscard]] MemoryPeak memory_peak(const ExecutionGraph& graph, const RankClass& rank_class);

}  // namespace prismllm::graph
