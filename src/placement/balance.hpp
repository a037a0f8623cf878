// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file balance.hpp
/// Spread loads over proxies so that the most loaded one has little more than the mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace prismllm::placement {

struct Spread {
    std::vector<std::int32_t> proxy;  ///< [item]
    std::int64_t largest = 0;         ///< load of the most loaded proxy
};

/// Consecutive items to each proxy, cut where the largest load is least. Every proxy has an item
/// when there are enough. @pre loads are positive, proxies > 0.
[[nodiscard]] Spread spread_in_order(std::span<const std::int64_t> loads, int proxies);

/// Heaviest item first, each to the least loaded proxy (longest processing time rule: at most
/// 4/3 of the best possible; R. L. Graham, SIAM J. Appl. Math. 17, 1969). @pre as above.
[[nodiscard]] Spread spread_by_weight(std::span<const std::int64_t> loads, int proxies);

/// In order, unless that costs more than a twentieth against by weight.
[[nodiscard]] Spread spread(std::span<const std::int64_t> loads, int proxies);

}  // namespace prismllm::placement
