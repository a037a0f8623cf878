// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/id.hpp
/// "Rank" is never said bare: these types keep the two populations apart.
#pragma once

#include <compare>
#include <cstdint>

namespace prismllm {

/// An index into one population; ids of different tags do not mix.
template <class Tag>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(std::int64_t value) : value_{value} {}
    [[nodiscard]] constexpr std::int64_t value() const { return value_; }
    constexpr auto operator<=>(const Id&) const = default;

private:
    std::int64_t value_ = 0;
};

/// A rank of the target job (0 .. world_size-1).
using VirtualRank = Id<struct VirtualRankTag>;
/// A process of this MPI job.
using HostRank = Id<struct HostRankTag>;

}  // namespace prismllm
