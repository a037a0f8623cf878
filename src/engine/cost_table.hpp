// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The graph's costs as flat tables of picoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

#include "scaling.hpp"

namespace prismllm::engine {

/// Number of the group shape of every lane in one family (or of every pair of one port).
struct LaneShapes {
    std::uint16_t uniform = 0;
    std::vector<std::uint16_t> lanes;  ///< empty: all lanes have `uniform`

    [[nodiscard]] std::uint16_t of(std::size_t lane) const {
        return lanes.empty() ? uniform : lanes[lane];
    }
    /// Keep a single number if all agree.
    void settle();
};

class CostTable {
public:
    /// @param jitter relative standard deviation of kernel durations; 0: none.
    CostTable(const graph::ExecutionGraph& graph, double jitter);

    [[nodiscard]] std::int64_t kernel(std::uint32_t k) const { return kernels_[k]; }
    /// @pre made with jitter.
    [[nodiscard]] const JitterStep& jitter(std::uint32_t k) const { return jitter_[k]; }
    [[nodiscard]] bool has_jitter() const { return !jitter_.empty(); }
    [[nodiscard]] std::int64_t call(std::uint32_t communication, std::uint16_t shape) const {
        return calls_[first_[communication] + shape];
    }
    /// Largest cost of a call over the shapes it may meet.
    [[nodiscard]] std::int64_t dearest(std::uint32_t communication) const;
    [[nodiscard]] bool is_eager(std::uint32_t communication) const {
        return eager_[communication] != 0;
    }

private:
    std::vector<std::int64_t> kernels_;
    std::vector<JitterStep> jitter_;
    std::vector<std::uint32_t> first_;  ///< [communication + 1], into calls_
    std::vector<std::int64_t> calls_;
    std::vector<std::uint8_t> eager_;
};

}  // namespace prismllm::engine
