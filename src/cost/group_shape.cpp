// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/cost/collective_model.hpp"

namespace prismllm::cost {
namespace {

using graph::Axis;
using graph::Family;

/// Group number of a rank of a regular family by division, largest stride first; nothing where
/// the rank belongs to none. Exact because axes of a mesh nest: a stride is larger than all
/// smaller axes together can reach.
class GroupFinder {
public:
    explicit GroupFinder(const Family& family) : first_{family.first} {
        for (const Axis& axis : family.members)
            axes_.push_back({axis, 0});
        std::int64_t weight = 1;
        for (const Axis& axis : family.groups) {
            axes_.push_back({axis, weight});
            weight *= axis.size;
        }
        std::stable_sort(axes_.begin(), axes_.end(), [](const Place& a, const Place& b) {
            return a.axis.stride > b.axis.stride;
        });
    }

    [[nodiscard]] bool is_exact() const {
        std::int64_t reach = 0;
        for (auto place = axes_.rbegin(); place != axes_.rend(); ++place) {
            if (place->axis.size == 1)
                continue;
            if (place->axis.stride <= reach)
                return false;
            reach += place->axis.stride * (place->axis.size - 1);
        }
        return true;
    }

    [[nodiscard]] std::optional<std::int64_t> group_of(std::int64_t rank) const {
        std::int64_t rest = rank - first_;
        if (rest < 0)
            return std::nullopt;
        std::int64_t group = 0;
        for (const auto& [axis, weight] : axes_) {
            if (axis.size == 1)
                continue;
            const std::int64_t index = rest / axis.stride;
            if (index >= axis.size)
                return std::nullopt;
            rest -= index * axis.stride;
            group += index * weight;
        }
        if (rest != 0)
            return std::nullopt;
        return group;
    }

private:
    struct Place {
        Axis axis;
        std::int64_t weight;  ///< of the axis in the group number; 0: a member axis
    };
    std::int64_t first_;
    std::vector<Place> axes_;
};

std::int64_t groups_by_division(const GroupFinder& finder, std::int64_t node,
                                std::int64_t ranks_per_node) {
    std::vector<std::int64_t> found;
    for (std::int64_t rank = node * ranks_per_node; rank < (node + 1) * ranks_per_node; ++rank) {
        if (const auto group = finder.group_of(rank))
            found.push_back(*group);
    }
    std::sort(found.begin(), found.end());
    return std::unique(found.begin(), found.end()) - found.begin();
}

std::int64_t groups_by_search(const Family& family, std::int64_t node,
                              std::int64_t ranks_per_node) {
    std::int64_t count = 0;
    for (std::int64_t group = 0; group < family.group_count(); ++group) {
        const auto ranks = family.group_ranks(group);
        count += std::any_of(ranks.begin(), ranks.end(),
                             [&](std::int64_t rank) { return rank / ranks_per_node == node; });
    }
    return count;
}

}  // namespace

GroupShape shape_of(const Family& family, std::int64_t group, std::int64_t ranks_per_node) {
    PRISMLLM_ASSERT(ranks_per_node > 0, "a node holds at least one rank");
    const std::vector<std::int64_t> ranks = family.group_ranks(group);
    PRISMLLM_ASSERT(!ranks.empty(), "groups have members");
    std::vector<std::int64_t> nodes;
    nodes.reserve(ranks.size());
    for (const std::int64_t rank : ranks)
        nodes.push_back(rank / ranks_per_node);
    const std::int64_t first_node = nodes.front();
    std::sort(nodes.begin(), nodes.end());

    GroupShape shape{static_cast<std::int64_t>(ranks.size()), 0, 0, 1};
    for (auto it = nodes.begin(); it != nodes.end();) {
        const auto next = std::upper_bound(it, nodes.end(), *it);
        shape.nodes += 1;
        shape.ranks_per_node = std::max<std::int64_t>(shape.ranks_per_node, next - it);
        it = next;
    }
    if (family.is_regular()) {
        const GroupFinder finder{family};
        if (finder.is_exact()) {
            shape.groups_sharing_node = groups_by_division(finder, first_node, ranks_per_node);
            return shape;
        }
    }
    shape.groups_sharing_node = groups_by_search(family, first_node, ranks_per_node);
    return shape;
}

}  // namespace prismllm::cost
