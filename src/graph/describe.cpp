// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/graph/describe.hpp"

#include <algorithm>

namespace prismllm::graph {

std::string communicator_name(const Family& family, std::int64_t group) {
    return fmt::format("{}[{}]", family.name, group);
}

std::string describe(const Communication& call) {
    std::string text = std::string{name_of(call.kind)};
    if (call.kind != CollectiveKind::barrier) {
        text += fmt::format(" of {} {}", call.elements, name_of(call.dtype));
    }
    if (call.reduce != ReduceOp::none) {
        text += fmt::format(" ({})", name_of(call.reduce));
    }
    if (call.root >= 0) {
        text += fmt::format(" with root at position {}", call.root);
    }
    return text;
}

std::string place_of(const ExecutionGraph& graph, std::int32_t rank_class, std::uint32_t op) {
    const Op& entry = graph.classes[static_cast<std::size_t>(rank_class)].ops[op];
    std::string place = fmt::format("op {} on stream '{}'", op, graph.streams[entry.stream]);
    if (entry.phase != Phase::other) {
        place += fmt::format(", {}", name_of(entry.phase));
    }
    if (entry.micro_batch >= 0) {
        place += fmt::format(", micro-batch {}", entry.micro_batch);
    }
    if (entry.layer >= 0) {
        place += fmt::format(", layer {}", entry.layer);
    }
    return place;
}

std::string describe_op(const ExecutionGraph& graph, std::int32_t rank_class, std::uint32_t op) {
    const Op& entry = graph.classes[static_cast<std::size_t>(rank_class)].ops[op];
    return fmt::format("{} [{}]", describe(graph.communications[entry.index]),
                       place_of(graph, rank_class, op));
}

std::string name_ranks(std::span<const std::int64_t> ranks) {
    constexpr std::size_t most = 4;
    if (ranks.size() == 1) {
        return fmt::format("rank {}", ranks[0]);
    }
    const std::size_t shown = ranks.size() <= most ? ranks.size() - 1 : most;
    std::string text = "ranks ";
    for (std::size_t i = 0; i < shown; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
    }
    if (shown == ranks.size() - 1) {
        return text + fmt::format(" and {}", ranks.back());
    }
    return text + fmt::format(" and {} more", ranks.size() - shown);
}

bool is_same_call(const Communication& a, const Communication& b) {
    const bool uneven = a.kind == CollectiveKind::all_to_all && (a.splits >= 0 || b.splits >= 0);
    return a.kind == b.kind && a.dtype == b.dtype && a.reduce == b.reduce && a.root == b.root &&
           (uneven || a.elements == b.elements);
}

}  // namespace prismllm::graph
