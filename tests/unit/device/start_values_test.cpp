// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Start values: numbers of a place.
#include "start_values.hpp"

#include <algorithm>
#include <cmath>

#include "finite_differences.hpp"

namespace prismllm::device {
namespace {

using program::ParameterPart;
using Start = ParameterPart::Start;

/// 200 rows and 500 columns.
Values whole(const StartRule& rule, const char* name = "layer 0 qkv weight") {
    Values values(100'000);
    fill_part(rule, {name, Start::normal, 500, 0, {{200, 0}}}, values);
    return values;
}

TEST(RandomWord, IsSplitMix64) {
    // The first numbers of its reference implementation for the seed 0
    EXPECT_EQ(random_word(0, 0), 0xe220a8397b1dcdafU);
    EXPECT_EQ(random_word(0, 1), 0x6e789e6aa1b965f4U);
}

TEST(StartValues, DependOnSeedAndName) {
    const Values values = whole({});
    StartRule other;
    other.seed = 2;

    EXPECT_EQ(whole({}), values);
    EXPECT_NE(whole(other), values);
    EXPECT_NE(whole({}, "layer 1 qkv weight"), values);
    // Not the same numbers in another place either
    Values sorted = values;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_FALSE(std::binary_search(sorted.begin(), sorted.end(), whole(other).front()));
}

TEST(StartValues, AreNormalAndNeighboursIndependent) {
    const Values values = whole({1, 1, 1});
    double sum = 0;
    double fourth = 0;
    double beside = 0;
    double below = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<double>(values[i]);
        sum += value;
        fourth += std::pow(value, 4);
        beside += value * static_cast<double>(values[(i + 1) % values.size()]);
        below += value * static_cast<double>(values[(i + 500) % values.size()]);
    }
    // Five standard errors: of x, x^4 (mean 3, variance 105 - 9) and products (variance 1)
    const double n = 1e5;
    EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
    EXPECT_NEAR(dot(values, values) / n, 1, 5 * std::sqrt(2 / n));
    EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96 / n));
    EXPECT_NEAR(beside / n, 0, 5 / std::sqrt(n));
    EXPECT_NEAR(below / n, 0, 5 / std::sqrt(n));
}

TEST(StartValues, MayBeOnesAndZeros) {
    Values values(3, 7);
    fill_part({}, {"norm scale", Start::ones, 3, 0, {{1, 0}}}, values);
    EXPECT_EQ(values, Values(3, 1));
    fill_part({}, {"norm shift", Start::zeros, 3, 0, {{1, 0}}}, values);
    EXPECT_EQ(values, Values(3));
}

}  // namespace
}  // namespace prismllm::device
