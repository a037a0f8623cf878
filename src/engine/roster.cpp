// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "roster.hpp"

#include <algorithm>
#include <cstddef>

namespace prismllm::engine {

Roster::Roster(const graph::ExecutionGraph& g, const CostTable& costs,
               std::span<const std::int32_t> owner_of_rank)
    : graph{g}, owner{owner_of_rank}, class_of{graph::class_of_ranks(g)} {
    find_uses(g);
    const auto world = static_cast<std::size_t>(g.world_size);
    cohort_of.resize(world);
    lane_of.resize(world);
    Key key, previous;
    std::int32_t cohort = -1;
    for (std::size_t rank = 0; rank < world; ++rank) {
        key_of(rank, key);
        if (cohort < 0 || key != previous) {
            cohort = enter_cohort(rank, key, costs);
            previous = key;
        }
        cohort_of[rank] = cohort;
        lane_of[rank] = cohorts[static_cast<std::size_t>(cohort)].lanes++;
    }
    cohort_by_key_.clear();
    table_by_key_.clear();
}

void Roster::find_uses(const graph::ExecutionGraph& g) {
    used_.assign(g.families.size(), 0);
    pairwise_.resize(g.classes.size());
    for (std::size_t c = 0; c < g.classes.size(); ++c) {
        uses_.push_back(uses_in(g, g.classes[c]));
        for (const CommunicationUse& use : uses_.back()) {
            const graph::Communication& call = g.communications[use.communication];
            used_[call.family] = 1;
            std::vector<graph::FamilyIndex>& families = pairwise_[c];
            if (is_pairwise(call.kind) &&
                std::find(families.begin(), families.end(), call.family) == families.end()) {
                families.push_back(call.family);
            }
        }
    }
    memberships_.resize(g.families.size());
    for (std::size_t f = 0; f < g.families.size(); ++f) {
        if (used_[f] != 0) {
            memberships_[f] = graph::membership_of(g.families[f], g.world_size);
        }
    }
}

void Roster::key_of(std::size_t rank, Key& key) const {
    key.assign({class_of[rank], owner[rank]});
    for (const graph::FamilyIndex f : pairwise_[static_cast<std::size_t>(class_of[rank])]) {
        const graph::Membership& m = memberships_[f];
        const std::int32_t group = m.group[rank];
        key.push_back(group < 0 ? 0 : graph.families[f].group_size(group));
        key.push_back(graph.split_classes_by_position ? m.position[rank] : 0);
    }
}

std::int32_t Roster::enter_cohort(std::size_t rank, const Key& key, const CostTable& costs) {
    const auto [at, is_new] =
        cohort_by_key_.try_emplace(key, static_cast<std::int32_t>(cohorts.size()));
    if (is_new) {
        cohorts.push_back({class_of[rank], owner[rank], 0, enter_table(rank, costs)});
    }
    return at->second;
}

std::int32_t Roster::enter_table(std::size_t rank, const CostTable& costs) {
    const auto c = static_cast<std::size_t>(class_of[rank]);
    std::vector<std::int64_t> sizes(graph.families.size(), 0);
    Key key{class_of[rank]};
    for (const graph::FamilyIndex f : pairwise_[c]) {
        const std::int32_t group = memberships_[f].group[rank];
        sizes[f] = group < 0 ? 0 : graph.families[f].group_size(group);
        key.push_back(sizes[f]);
    }
    const auto [at, is_new] =
        table_by_key_.try_emplace(key, static_cast<std::int32_t>(tables.size()));
    if (is_new) {
        tables.push_back(make_call_table(graph, costs, uses_[c], sizes));
    }
    return at->second;
}

}  // namespace prismllm::engine
