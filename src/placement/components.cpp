// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "components.hpp"

#include <numeric>
#include <utility>

namespace prismllm::placement {

Components::Components(std::int64_t ranks)
    : parent_(static_cast<std::size_t>(ranks)), count_{ranks} {
    std::iota(parent_.begin(), parent_.end(), 0);
}

std::int32_t Components::find(std::int32_t rank) {
    auto at = [this](std::int32_t r) -> std::int32_t& {
        return parent_[static_cast<std::size_t>(r)];
    };
    while (at(rank) != rank) {
        at(rank) = at(at(rank));
        rank = at(rank);
    }
    return rank;
}

void Components::join_groups(const graph::Membership& membership, std::int64_t groups) {
    constexpr std::int32_t nobody = -1;
    std::vector<std::int32_t> first_member(static_cast<std::size_t>(groups), nobody);
    for (std::size_t r = 0; r < parent_.size(); ++r) {
        const std::int32_t group = membership.group[r];
        if (group < 0) {
            continue;
        }
        std::int32_t& first = first_member[static_cast<std::size_t>(group)];
        const auto rank = static_cast<std::int32_t>(r);
        if (first == nobody) {
            first = rank;
            continue;
        }
        std::int32_t a = find(first);
        std::int32_t b = find(rank);
        if (a != b) {
            if (b < a) {
                std::swap(a, b);
            }
            parent_[static_cast<std::size_t>(b)] = a;
            --count_;
        }
    }
}

std::vector<std::int32_t> Components::numbers() {
    std::vector<std::int32_t> number(parent_.size());
    std::int32_t next = 0;
    for (std::size_t r = 0; r < parent_.size(); ++r) {
        const std::int32_t root = find(static_cast<std::int32_t>(r));
        // A root is the smallest rank of its set, so it has its number already.
        number[r] =
            static_cast<std::size_t>(root) == r ? next++ : number[static_cast<std::size_t>(root)];
    }
    return number;
}

}  // namespace prismllm::placement
