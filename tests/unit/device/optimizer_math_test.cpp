// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The optimizer's arithmetic at the edges of fp32.
#include "optimizer_math.hpp"

#include <cmath>
#include <limits>

#include "finite_differences.hpp"

namespace prismllm::device {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(Clipping, OnlyEverShrinks) {
    EXPECT_EQ(clip_factor(0, 1), 1);
    EXPECT_EQ(clip_factor(1e-20, 1), 1);
    EXPECT_LT(clip_factor(1, 1), 1);  // 1e-6 is added to the norm
    EXPECT_NEAR(clip_factor(1, 1), 1, 2e-6);
    EXPECT_NEAR(clip_factor(1e60, 1), 1e-30, 1e-36);  // squares beyond the range of fp32
    EXPECT_EQ(clip_factor(std::numeric_limits<double>::infinity(), 1), 0);
}

TEST(Clipping, HidesNoNormThatIsNone) {
    EXPECT_TRUE(std::isnan(clip_factor(std::nan(""), 1)));
    EXPECT_EQ(clip_factor(std::nan(""), 0), 1);
}

TEST(SumOfSquares, IsOneOfDoubles) {
    EXPECT_EQ(sum_of_squares({}), 0);
    EXPECT_EQ(sum_of_squares(Values{0x1p100F, 0}), 0x1p200);
    EXPECT_EQ(sum_of_squares(Values{0x1p20F, 1}), 0x1p40 + 1);
}

TEST(Unscale, FindsWhatIsNotFiniteAnywhereAndScalesTheRest) {
    for (const float bad : {infinity, -infinity, std::nanf(""), -std::nanf("")}) {
        for (const std::size_t place : {0U, 1U, 2U}) {
            Values gradient{4, 4, 4};
            gradient[place] = bad;

            EXPECT_FALSE(unscale(0.25F, gradient));

            EXPECT_EQ(gradient[(place + 1) % 3], 1);
            EXPECT_EQ(gradient[(place + 2) % 3], 1);
        }
    }
    Values overflowing{1e30F};
    EXPECT_FALSE(unscale(1e30F, overflowing));
    EXPECT_TRUE(unscale(1, {}));
}

}  // namespace
}  // namespace prismllm::device
