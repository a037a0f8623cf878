// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "cost_table.hpp"

#include <algorithm>

namespace prismllm::engine {

void LaneShapes::settle() {
    if (lanes.empty()) {
        return;
    }
    const std::uint16_t first = lanes.front();
    if (std::all_of(lanes.begin(), lanes.end(), [&](std::uint16_t s) { return s == first; })) {
        uniform = first;
        lanes = {};
    }
}

CostTable::CostTable(const graph::ExecutionGraph& graph, double jitter) {
    kernels_.reserve(graph.kernel_costs.size());
    for (const graph::Cost& cost : graph.kernel_costs) {
        kernels_.push_back(cost.duration_ps);
        if (jitter > 0) {
            jitter_.push_back(jitter_step(cost.duration_ps, jitter));
        }
    }
    for (std::size_t c = 0; c < graph.communications.size(); ++c) {
        first_.push_back(static_cast<std::uint32_t>(calls_.size()));
        for (const graph::Cost& cost : graph.communication_costs[c]) {
            calls_.push_back(cost.duration_ps);
        }
        const std::int64_t bytes = graph::payload_bytes(graph.communications[c], 1);
        eager_.push_back(bytes <= graph.eager_bytes ? 1 : 0);
    }
    first_.push_back(static_cast<std::uint32_t>(calls_.size()));
}

std::int64_t CostTable::dearest(std::uint32_t communication) const {
    std::int64_t most = 0;
    for (std::uint32_t i = first_[communication]; i < first_[communication + 1]; ++i) {
        most = std::max(most, calls_[i]);
    }
    return most;
}

}  // namespace prismllm::engine
