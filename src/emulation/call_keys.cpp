// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "call_keys.hpp"

#include <map>

namespace prismllm::emulation {

using graph::CollectiveKind;
using graph::Communication;

bool is_pairwise(const Communication& call) {
    return call.kind == CollectiveKind::send || call.kind == CollectiveKind::recv;
}

CallKeys::CallKeys(const graph::ExecutionGraph& graph)
    : graph_{graph}, class_of_{class_of_ranks(graph)} {
    for (const graph::Family& family : graph.families) {
        members_.push_back(membership_of(family, graph.world_size));
    }
    for (std::int64_t rank = 0; rank < graph.world_size; ++rank) {
        std::map<std::tuple<graph::FamilyIndex, bool, std::int64_t>, std::int64_t> counts;
        std::vector<std::int64_t>& sequence = sequence_.emplace_back(ops(rank).size());
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            if (ops(rank)[i].kind != graph::OpKind::communicate) {
                continue;
            }
            const Communication& call = graph.communications[ops(rank)[i].index];
            const std::int64_t other = is_pairwise(call) ? peer(rank, call) : -1;
            sequence[i] = counts[{call.family, call.kind == CollectiveKind::send, other}]++;
        }
    }
}

const std::vector<graph::Op>& CallKeys::ops(std::int64_t rank) const {
    const std::int32_t number = class_of_[static_cast<std::size_t>(rank)];
    return graph_.classes[static_cast<std::size_t>(number)].ops;
}

std::int64_t CallKeys::peer(std::int64_t rank, const Communication& call) const {
    const graph::Family& family = graph_.families[call.family];
    const auto at = static_cast<std::size_t>(rank);
    const std::int32_t group = members_[call.family].group[at];
    const std::int64_t size = family.group_size(group);
    const std::int64_t position = members_[call.family].position[at] + call.peer_delta;
    return family.rank_at(group, (position % size + size) % size);
}

CallKeys::Key CallKeys::key(std::int64_t rank, std::size_t op) const {
    const Communication& call = graph_.communications[ops(rank)[op].index];
    const std::int64_t number = sequence_[static_cast<std::size_t>(rank)][op];
    if (!is_pairwise(call)) {
        return {call.family, members_[call.family].group[static_cast<std::size_t>(rank)], -1,
                number};
    }
    const std::int64_t other = peer(rank, call);
    return call.kind == CollectiveKind::send ? Key{call.family, rank, other, number}
                                             : Key{call.family, other, rank, number};
}

std::size_t CallKeys::shape(std::int64_t rank, std::size_t op) const {
    const Communication& call = graph_.communications[ops(rank)[op].index];
    if (is_pairwise(call)) {
        return peer(rank, call) / graph_.ranks_per_node == rank / graph_.ranks_per_node ? 0 : 1;
    }
    const std::int32_t group = members_[call.family].group[static_cast<std::size_t>(rank)];
    return graph_.group_shape[call.family][static_cast<std::size_t>(group)];
}

std::int64_t CallKeys::group_size(std::int64_t rank, graph::FamilyIndex family) const {
    return graph_.families[family].group_size(
        members_[family].group[static_cast<std::size_t>(rank)]);
}

}  // namespace prismllm::emulation
