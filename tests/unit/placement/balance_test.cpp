// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "balance.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace prismllm::placement {
namespace {

using Loads = std::vector<std::int64_t>;
using Proxies = std::vector<std::int32_t>;

TEST(SpreadInOrder, CutsWhereTheLargestLoadIsLeast) {
    // 3 3 | 2 2 2: both 6. Any other cut gives 7 or more.
    const Spread spread = spread_in_order(Loads{3, 3, 2, 2, 2}, 2);

    EXPECT_EQ(spread.proxy, (Proxies{0, 0, 1, 1, 1}));
    EXPECT_EQ(spread.largest, 6);
}

TEST(SpreadInOrder, GivesEveryProxyAnItem) {
    // The first item alone is the largest load there can be, and the other three fit into one
    // proxy; still the third proxy gets one.
    const Spread spread = spread_in_order(Loads{9, 1, 1, 1}, 3);

    EXPECT_EQ(spread.proxy, (Proxies{0, 1, 1, 2}));
    EXPECT_EQ(spread.largest, 9);
}

TEST(SpreadInOrder, LeavesProxiesEmptyWhenItemsAreFew) {
    EXPECT_EQ(spread_in_order(Loads{4, 4}, 5).proxy, (Proxies{0, 1}));
    EXPECT_TRUE(spread_in_order(Loads{}, 5).proxy.empty());
}

TEST(SpreadByWeight, GivesTheHeaviestToTheLeastLoaded) {
    // 5 -> 0, 4 -> 1, 3 -> 1 (4 < 5), 3 -> 0 (5 < 7), then 1 -> 1 (7 < 8).
    const Spread spread = spread_by_weight(Loads{3, 1, 5, 4, 3}, 2);

    EXPECT_EQ(spread.proxy, (Proxies{1, 1, 0, 1, 0}));
    EXPECT_EQ(spread.largest, 8);
}

TEST(Spread, KeepsTheOrderWhereItCostsNoBalance) {
    // By weight it would be 0 1 0 1.
    EXPECT_EQ(spread(Loads{2, 2, 2, 2}, 2).proxy, (Proxies{0, 0, 1, 1}));
}

TEST(Spread, GivesUpTheOrderWhereItCostsBalance) {
    // In order 6 | 6 1 1 1 1 = 10 at best; by weight 6 1 1 | 6 1 1 = 8.
    const Spread result = spread(Loads{6, 6, 1, 1, 1, 1}, 2);

    EXPECT_EQ(result.proxy, (Proxies{0, 1, 0, 1, 0, 1}));
    EXPECT_EQ(result.largest, 8);
}

}  // namespace
}  // namespace prismllm::placement
