// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {
namespace {

std::int64_t product(const std::vector<Axis>& axes) {
    std::int64_t n = 1;
    for (const Axis& axis : axes) {
        n *= axis.size;
    }
    return n;
}

/// Offset of combination `index`, first axis fastest.
std::int64_t offset_of(const std::vector<Axis>& axes, std::int64_t index) {
    std::int64_t offset = 0;
    for (const Axis& axis : axes) {
        offset += index % axis.size * axis.stride;
        index /= axis.size;
    }
    return offset;
}

/// Offsets of all combinations, first axis fastest.
std::vector<std::int64_t> offsets_of(const std::vector<Axis>& axes) {
    std::vector<std::int64_t> offsets{0};
    offsets.reserve(static_cast<std::size_t>(product(axes)));
    for (const Axis& axis : axes) {
        const std::size_t inner = offsets.size();
        for (std::int64_t i = 1; i < axis.size; ++i) {
            for (std::size_t k = 0; k < inner; ++k) {
                offsets.push_back(offsets[k] + i * axis.stride);
            }
        }
    }
    return offsets;
}

void enter_regular(const Family& family, Membership& membership) {
    const std::vector<std::int64_t> members = offsets_of(family.members);
    const std::int64_t groups = family.group_count();
    for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t start = family.first + offset_of(family.groups, g);
        for (std::size_t m = 0; m < members.size(); ++m) {
            const auto rank = static_cast<std::size_t>(start + members[m]);
            membership.group[rank] = static_cast<std::int32_t>(g);
            membership.position[rank] = static_cast<std::int32_t>(m);
        }
    }
}

void enter_irregular(const Family& family, Membership& membership) {
    for (std::size_t g = 0; g + 1 < family.group_offsets.size(); ++g) {
        const std::int64_t begin = family.group_offsets[g];
        for (std::int64_t i = begin; i < family.group_offsets[g + 1]; ++i) {
            const auto rank = static_cast<std::size_t>(family.ranks[static_cast<std::size_t>(i)]);
            membership.group[rank] = static_cast<std::int32_t>(g);
            membership.position[rank] = static_cast<std::int32_t>(i - begin);
        }
    }
}

}  // namespace

std::int64_t Family::group_count() const {
    return is_regular() ? product(groups) : static_cast<std::int64_t>(group_offsets.size()) - 1;
}

std::int64_t Family::group_size(std::int64_t group) const {
    if (is_regular()) {
        return product(members);
    }
    const auto g = static_cast<std::size_t>(group);
    return group_offsets[g + 1] - group_offsets[g];
}

std::int64_t Family::rank_at(std::int64_t group, std::int64_t position) const {
    if (is_regular()) {
        return first + offset_of(groups, group) + offset_of(members, position);
    }
    return ranks[static_cast<std::size_t>(group_offsets[static_cast<std::size_t>(group)] +
                                          position)];
}

std::vector<std::int64_t> Family::group_ranks(std::int64_t group) const {
    if (is_regular()) {
        std::vector<std::int64_t> result = offsets_of(members);
        const std::int64_t start = first + offset_of(groups, group);
        for (std::int64_t& rank : result) {
            rank += start;
        }
        return result;
    }
    const auto g = static_cast<std::size_t>(group);
    return {ranks.begin() + group_offsets[g], ranks.begin() + group_offsets[g + 1]};
}

Membership membership_of(const Family& family, std::int64_t world_size) {
    Membership membership;
    membership.group.assign(static_cast<std::size_t>(world_size), -1);
    membership.position.assign(static_cast<std::size_t>(world_size), -1);
    if (family.is_regular()) {
        enter_regular(family, membership);
    } else {
        enter_irregular(family, membership);
    }
    return membership;
}

}  // namespace prismllm::graph
