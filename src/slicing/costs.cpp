// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/slicing/costs.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

namespace prismllm::slicing {
namespace {

/// Number of groups that have members on each node.
std::vector<std::int64_t> groups_on_nodes(const graph::Family& family, std::int64_t world_size,
                                          std::int64_t ranks_per_node) {
    const graph::Membership membership = graph::membership_of(family, world_size);
    const std::int64_t nodes = (world_size + ranks_per_node - 1) / ranks_per_node;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(nodes));
    std::vector<std::int64_t> last_node(static_cast<std::size_t>(family.group_count()), -1);
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        const std::int32_t group = membership.group[static_cast<std::size_t>(rank)];
        const std::int64_t node = rank / ranks_per_node;
        // Ranks are visited node by node, so one entry a group tells whether it was counted.
        if (group >= 0 && last_node[static_cast<std::size_t>(group)] != node) {
            last_node[static_cast<std::size_t>(group)] = node;
            ++counts[static_cast<std::size_t>(node)];
        }
    }
    return counts;
}

/// What fixes the shape of a group: the groups beside it on its first node and where its members
/// lie. Groups of a regular family are translates of each other, so there the place of the first
/// member in its node says it all.
void place_of(const graph::Family& family, std::int64_t group, std::int64_t ranks_per_node,
              const std::vector<std::int64_t>& on_nodes, std::vector<std::int64_t>& key) {
    const std::int64_t first = family.rank_at(group, 0);
    key.assign(
        {on_nodes[static_cast<std::size_t>(first / ranks_per_node)], first % ranks_per_node});
    if (!family.is_regular()) {
        for (const std::int64_t rank : family.group_ranks(group)) {
            key.push_back(rank - first);
        }
    }
}

struct FamilyShapes {
    std::vector<std::uint16_t> of_group;
    std::vector<cost::GroupShape> shapes;
};

FamilyShapes shapes_of(const graph::Family& family, const graph::ExecutionGraph& graph) {
    FamilyShapes result;
    const auto on_nodes = groups_on_nodes(family, graph.world_size, graph.ranks_per_node);
    std::map<std::vector<std::int64_t>, std::uint16_t> by_place;
    std::map<cost::GroupShape, std::uint16_t> by_shape;
    const std::int64_t groups = family.group_count();
    result.of_group.reserve(static_cast<std::size_t>(groups));
    std::vector<std::int64_t> key;
    for (std::int64_t group = 0; group < groups; ++group) {
        place_of(family, group, graph.ranks_per_node, on_nodes, key);
        auto known = by_place.find(key);
        if (known == by_place.end()) {
            const cost::GroupShape shape = cost::shape_of(family, group, graph.ranks_per_node);
            const auto [it, is_new] =
                by_shape.emplace(shape, static_cast<std::uint16_t>(result.shapes.size()));
            if (is_new) {
                PRISMLLM_ASSERT(result.shapes.size() <= std::numeric_limits<std::uint16_t>::max(),
                                "a family has at most 65,536 shapes");
                result.shapes.push_back(shape);
            }
            known = by_place.emplace(key, it->second).first;
        }
        result.of_group.push_back(known->second);
    }
    return result;
}

std::vector<graph::Cost> costs_of(const graph::Communication& call,
                                  const std::vector<cost::GroupShape>& shapes,
                                  const cost::CollectiveModel& network) {
    if (call.kind == graph::CollectiveKind::send || call.kind == graph::CollectiveKind::recv) {
        const std::int64_t bytes = graph::payload_bytes(call, 1);
        return {network.point_to_point(bytes, true), network.point_to_point(bytes, false)};
    }
    std::vector<graph::Cost> costs;
    costs.reserve(shapes.size());
    for (const cost::GroupShape& shape : shapes) {
        costs.push_back(network.collective(call, shape));
    }
    return costs;
}

}  // namespace

void attach_costs(graph::ExecutionGraph& graph, const cost::DeviceModel& device,
                  const cost::CollectiveModel& network) {
    graph.kernel_costs.clear();
    graph.kernel_costs.reserve(graph.kernels.size());
    for (const graph::Kernel& kernel : graph.kernels) {
        graph.kernel_costs.push_back(device.cost(kernel));
    }
    std::vector<std::vector<cost::GroupShape>> shapes;
    graph.group_shape.clear();
    for (const graph::Family& family : graph.families) {
        FamilyShapes found = shapes_of(family, graph);
        graph.group_shape.push_back(std::move(found.of_group));
        shapes.push_back(std::move(found.shapes));
    }
    graph.communication_costs.clear();
    graph.communication_costs.reserve(graph.communications.size());
    for (const graph::Communication& call : graph.communications) {
        graph.communication_costs.push_back(costs_of(call, shapes[call.family], network));
    }
}

namespace {

void take_measured_calls(graph::ExecutionGraph& graph, const graph::ExecutionGraph& from) {
    for (std::size_t c = 0; c < graph.communications.size(); ++c) {
        const graph::Communication& call = graph.communications[c];
        const auto found = std::ranges::find(from.communications, call);
        const auto at = static_cast<std::size_t>(found - from.communications.begin());
        if (found == from.communications.end() || at >= from.communication_costs.size() ||
            from.families[call.family].name != graph.families[call.family].name) {
            continue;
        }
        auto& costs = graph.communication_costs[c];
        const auto& measured = from.communication_costs[at];
        for (std::size_t shape = 0; shape < std::min(costs.size(), measured.size()); ++shape) {
            if (measured[shape].provenance == graph::Provenance::measured) {
                costs[shape] = measured[shape];
            }
        }
    }
}

}  // namespace

std::int64_t take_measured_costs(graph::ExecutionGraph& graph, const graph::ExecutionGraph& from) {
    take_measured_calls(graph, from);
    std::int64_t taken = 0;
    for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
        const auto found = std::find(from.kernels.begin(), from.kernels.end(), graph.kernels[k]);
        if (found == from.kernels.end()) {
            continue;
        }
        const auto at = static_cast<std::size_t>(found - from.kernels.begin());
        if (at < from.kernel_costs.size() &&
            from.kernel_costs[at].provenance == graph::Provenance::measured) {
            graph.kernel_costs[k] = from.kernel_costs[at];
            ++taken;
        }
    }
    return taken;
}

}  // namespace prismllm::slicing
