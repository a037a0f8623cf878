// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "balance.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace prismllm::placement {
namespace {

/// Parts that filling each up to `capacity` needs; more than `limit` counts as limit + 1.
int parts_needed(const std::vector<std::int64_t>& prefix, std::int64_t capacity, int limit) {
    int parts = 0;
    auto at = prefix.begin();
    while (at + 1 != prefix.end() && parts <= limit) {
        at = std::upper_bound(at, prefix.end(), *at + capacity) - 1;
        ++parts;
    }
    return parts;
}

std::int64_t least_capacity(std::span<const std::int64_t> loads,
                            const std::vector<std::int64_t>& prefix, int proxies) {
    std::int64_t low = *std::max_element(loads.begin(), loads.end());
    std::int64_t high = prefix.back();
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (parts_needed(prefix, middle, proxies) <= proxies) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

}  // namespace

Spread spread_in_order(std::span<const std::int64_t> loads, int proxies) {
    Spread result;
    if (loads.empty()) {
        return result;
    }
    std::vector<std::int64_t> prefix(loads.size() + 1, 0);
    std::partial_sum(loads.begin(), loads.end(), prefix.begin() + 1);
    const std::int64_t capacity = least_capacity(loads, prefix, proxies);

    result.proxy.resize(loads.size());
    std::int32_t proxy = 0;
    std::int64_t filled = 0;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const bool full = filled + loads[i] > capacity;
        // As many items left as proxies without any: one for each of them.
        const bool owed = filled > 0 && loads.size() - i <= static_cast<std::size_t>(
                                                                std::max(proxies - proxy - 1, 0));
        if (full || owed) {
            ++proxy;
            filled = 0;
        }
        filled += loads[i];
        result.proxy[i] = proxy;
        result.largest = std::max(result.largest, filled);
    }
    return result;
}

Spread spread_by_weight(std::span<const std::int64_t> loads, int proxies) {
    std::vector<std::int32_t> order(loads.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return loads[static_cast<std::size_t>(a)] > loads[static_cast<std::size_t>(b)];
    });

    using Filled = std::pair<std::int64_t, std::int32_t>;  // load, proxy
    std::priority_queue<Filled, std::vector<Filled>, std::greater<>> least;
    for (std::int32_t p = 0; p < proxies; ++p) {
        least.emplace(0, p);
    }
    Spread result;
    result.proxy.resize(loads.size());
    for (const std::int32_t item : order) {
        auto [filled, proxy] = least.top();
        least.pop();
        filled += loads[static_cast<std::size_t>(item)];
        result.proxy[static_cast<std::size_t>(item)] = proxy;
        result.largest = std::max(result.largest, filled);
        least.emplace(filled, proxy);
    }
    return result;
}

Spread spread(std::span<const std::int64_t> loads, int proxies) {
    Spread in_order = spread_in_order(loads, proxies);
    const std::int64_t total = std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
    const auto near = [&](std::int64_t best) { return in_order.largest <= best + best / 20; };
    if (near(total / proxies)) {
        return in_order;
    }
    Spread by_weight = spread_by_weight(loads, proxies);
    return near(by_weight.largest) ? std::move(in_order) : std::move(by_weight);
}

}  // namespace prismllm::placement
