// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/graph/memory.hpp"

#include <cstddef>

namespace prismllm::graph {

MemoryPeak memory_peak(const ExecutionGraph& graph, const RankClass& rank_class) {
    MemoryPeak peak;
    std::array<std::int64_t, tensor_role_count> live{};
    std::int64_t total = 0;
    for (std::size_t i = 0; i < rank_class.ops.size(); ++i) {
        const Op& op = rank_class.ops[i];
        if (op.kind != OpKind::allocate && op.kind != OpKind::release) {
            continue;
        }
        const Tensor& tensor = graph.tensors[op.index];
        const std::int64_t change = op.kind == OpKind::allocate ? tensor.bytes : -tensor.bytes;
        live[static_cast<std::size_t>(tensor.role)] += change;
        total += change;
        if (total > peak.bytes) {
            peak.bytes = total;
            peak.op = static_cast<std::int64_t>(i);
            peak.bytes_by_role = live;
        }
    }
    peak.end_bytes = total;
    return peak;
}

}  // namespace prismllm::graph
