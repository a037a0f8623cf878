// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/placement/assign.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "balance.hpp"
#include "components.hpp"

namespace prismllm::placement {
namespace {

// A proxy this much above the mean keeps the others waiting as long as a few hundred messages.
constexpr double acceptable_imbalance = 1.15;

/// Ops that take time, which is what replaying a rank costs.
std::int64_t load_of(const graph::RankClass& rank_class) {
    const auto timed =
        std::count_if(rank_class.ops.begin(), rank_class.ops.end(), [](const graph::Op& op) {
            return op.kind != graph::OpKind::allocate && op.kind != graph::OpKind::release;
        });
    return std::max<std::int64_t>(timed, 1);
}

std::vector<std::int64_t> load_by_component(const graph::ExecutionGraph& graph,
                                            const std::vector<std::int32_t>& number,
                                            std::int64_t components) {
    std::vector<std::int64_t> class_load;
    for (const graph::RankClass& rank_class : graph.classes) {
        class_load.push_back(load_of(rank_class));
    }
    std::vector<std::int64_t> loads(static_cast<std::size_t>(components), 0);
    for (const graph::RankRun& run : graph.rank_runs) {
        const std::int64_t load = class_load[static_cast<std::size_t>(run.rank_class)];
        for (std::int64_t r = run.first; r < run.first + run.count; ++r) {
            loads[static_cast<std::size_t>(number[static_cast<std::size_t>(r)])] += load;
        }
    }
    return loads;
}

/// Families with traffic, the most first; equals in family order.
std::vector<std::size_t> by_traffic(const graph::ExecutionGraph& graph) {
    const std::vector<std::int64_t> traffic = traffic_by_family(graph);
    std::vector<std::size_t> order(traffic.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t f) { return traffic[f] == 0; });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return traffic[a] > traffic[b]; });
    return order;
}

struct Plan {
    Components components;
    std::vector<std::int32_t> number;  ///< component of every rank
    Spread spread;
};

Plan plan_of(const graph::ExecutionGraph& graph, Components components, int proxies) {
    std::vector<std::int32_t> number = components.numbers();
    const auto loads = load_by_component(graph, number, components.count());
    Spread placed = spread(loads, proxies);
    return {std::move(components), std::move(number), std::move(placed)};
}

/// The nodes of the target cluster, as if they were groups of a family.
graph::Membership nodes_of(const graph::ExecutionGraph& graph) {
    graph::Membership nodes;
    for (std::int64_t rank = 0; rank < graph.world_size; ++rank) {
        nodes.group.push_back(static_cast<std::int32_t>(rank / graph.ranks_per_node));
        nodes.position.push_back(static_cast<std::int32_t>(rank % graph.ranks_per_node));
    }
    return nodes;
}

}  // namespace

std::vector<std::int64_t> traffic_by_family(const graph::ExecutionGraph& graph) {
    std::vector<std::int64_t> ranks(graph.classes.size(), 0);
    for (const graph::RankRun& run : graph.rank_runs) {
        ranks[static_cast<std::size_t>(run.rank_class)] += run.count;
    }
    std::vector<std::int64_t> traffic(graph.families.size(), 0);
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        for (const graph::Op& op : graph.classes[c].ops) {
            if (op.kind == graph::OpKind::communicate) {
                traffic[graph.communications[op.index].family] += ranks[c];
            }
        }
    }
    for (std::size_t f = 0; f < traffic.size(); ++f) {
        const graph::Family& family = graph.families[f];
        bool alone = true;
        for (std::int64_t g = 0; alone && g < family.group_count(); ++g) {
            alone = family.group_size(g) <= 1;
        }
        if (alone) {
            traffic[f] = 0;
        }
    }
    return traffic;
}

std::vector<std::int32_t> assign_owners(const graph::ExecutionGraph& graph, int proxies) {
    if (proxies == 1) {
        return std::vector<std::int32_t>(static_cast<std::size_t>(graph.world_size), 0);
    }
    std::int64_t total = 0;
    for (const std::int64_t load : load_by_component(
             graph, std::vector<std::int32_t>(static_cast<std::size_t>(graph.world_size), 0), 1)) {
        total += load;
    }
    const double acceptable =
        acceptable_imbalance * static_cast<double>(total) / static_cast<double>(proxies);

    Plan plan = plan_of(graph, Components{graph.world_size}, proxies);
    const auto keep_whole = [&](const graph::Membership& membership, std::int64_t groups) {
        Components joined = plan.components;
        joined.join_groups(membership, groups);
        if (joined.count() < proxies) {
            return;
        }
        Plan next = plan_of(graph, std::move(joined), proxies);
        const bool balanced = static_cast<double>(next.spread.largest) <= acceptable;
        if (balanced || next.spread.largest <= plan.spread.largest) {
            plan = std::move(next);
        }
    };
    keep_whole(nodes_of(graph), (graph.world_size - 1) / graph.ranks_per_node + 1);
    for (const std::size_t f : by_traffic(graph)) {
        const graph::Family& family = graph.families[f];
        keep_whole(graph::membership_of(family, graph.world_size), family.group_count());
    }

    std::vector<std::int32_t> owner(plan.number.size());
    std::transform(plan.number.begin(), plan.number.end(), owner.begin(),
                   [&](std::int32_t n) { return plan.spread.proxy[static_cast<std::size_t>(n)]; });
    return owner;
}

std::vector<CrossingFamily> crossing_families(const graph::ExecutionGraph& graph,
                                              std::span<const std::int32_t> owner) {
    constexpr std::int32_t nobody = -1;
    constexpr std::int32_t several = -2;
    const std::vector<std::int64_t> traffic = traffic_by_family(graph);
    std::vector<CrossingFamily> result;
    for (std::size_t f = 0; f < graph.families.size(); ++f) {
        if (traffic[f] == 0) {
            continue;
        }
        const std::int64_t groups = graph.families[f].group_count();
        const auto membership = graph::membership_of(graph.families[f], graph.world_size);
        std::vector<std::int32_t> where(static_cast<std::size_t>(groups), nobody);
        for (std::size_t r = 0; r < owner.size(); ++r) {
            if (membership.group[r] >= 0) {
                std::int32_t& at = where[static_cast<std::size_t>(membership.group[r])];
                at = at == nobody || at == owner[r] ? owner[r] : several;
            }
        }
        const auto crossing = std::count(where.begin(), where.end(), several);
        if (crossing > 0) {
            result.push_back({static_cast<graph::FamilyIndex>(f), groups, crossing});
        }
    }
    return result;
}

}  // namespace prismllm::placement
