// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/graph/execution_graph.hpp"

#include <algorithm>
#include <cstddef>

namespace prismllm::graph {

std::vector<std::int32_t> class_of_ranks(const ExecutionGraph& graph) {
    std::vector<std::int32_t> classes(static_cast<std::size_t>(graph.world_size), -1);
    for (const RankRun& run : graph.rank_runs) {
        std::fill_n(classes.begin() + run.first, run.count, run.rank_class);
    }
    return classes;
}

std::int64_t participant_ops(const ExecutionGraph& graph) {
    std::vector<std::int64_t> timed;
    timed.reserve(graph.classes.size());
    for (const RankClass& rank_class : graph.classes) {
        timed.push_back(
            std::count_if(rank_class.ops.begin(), rank_class.ops.end(), [](const Op& op) {
                return op.kind != OpKind::allocate && op.kind != OpKind::release;
            }));
    }
    std::int64_t total = 0;
    for (const RankRun& run : graph.rank_runs) {
        total += run.count * timed[static_cast<std::size_t>(run.rank_class)];
    }
    return total;
}

}  // namespace prismllm::graph
