// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/base/random.hpp"

#include "lanes.hpp"
#include "scaling.hpp"

namespace {

using namespace prismllm;
using namespace prismllm::engine;

TEST(Scaled, IsTheRoundedProductForAllFactorsAndTenHoursOfWork) {
    __extension__ typedef __int128 wide;
    for (const double factor : {0.01, 0.5, 0.999, 1.0, 1.05, 3.0, 1000.0}) {
        const std::uint32_t f = fixed_factor(factor);
        for (const std::int64_t work :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{999}, std::int64_t{4294967295},
              std::int64_t{4294967296}, std::int64_t{10'000'000'000'001},
              std::int64_t{9'000'000'000'000'000}}) {
            const wide exact =
                (static_cast<wide>(work) * f + (wide{1} << (factor_bits - 1))) >> factor_bits;
            EXPECT_EQ(scaled(work, f), static_cast<std::int64_t>(exact)) << factor << " " << work;
        }
    }
    EXPECT_EQ(fixed_factor(1.0), factor_one);
    EXPECT_EQ(scaled(123456789, factor_one), 123456789);
    EXPECT_EQ(scaled(10, fixed_factor(1.5)), 15);
}

TEST(RandomBits, AreTheSameOnEveryMachine) {
    const RandomKey key = random_key(1, 2, 3);

    // Recorded once; a change here changes every jittered result.
    EXPECT_EQ(key.first, 3232529975U);
    EXPECT_EQ(key.second, 1793398209U);
    EXPECT_EQ(random_bits(key.first, key.second, random_counter(4)), 794772800U);
}

TEST(RandomBits, HaveTheMomentsOfFourUniformBytes) {
    double sum = 0, squares = 0, products = 0;
    constexpr int draws = 400'000;
    double previous = 0;
    for (int i = 0; i < draws; ++i) {
        const RandomKey key = random_key(7, static_cast<std::uint64_t>(i / 200), 0);
        const double z =
            (byte_sum(random_bits(key.first, key.second,
                                  random_counter(static_cast<std::uint64_t>(i % 200)))) -
             510.0) /
            byte_sum_deviation;
        sum += z;
        squares += z * z;
        products += z * previous;
        previous = z;
    }
    // Standard errors: 0.0016 for mean and neighbor correlation, about 0.002 for the variance.
    EXPECT_NEAR(sum / draws, 0, 0.008);
    EXPECT_NEAR(squares / draws, 1, 0.01);
    EXPECT_NEAR(products / draws, 0, 0.008);
}

TEST(Jittered, HasMeanOneAndTheAskedDeviation) {
    for (const double deviation : {0.01, 0.1, 0.3}) {
        for (const std::int64_t duration :
             {std::int64_t{100'000}, std::int64_t{50'000'000}, std::int64_t{5'000'000'000'000}}) {
            const JitterStep step = jitter_step(duration, deviation);
            double sum = 0, squares = 0;
            constexpr int draws = 100'000;
            for (int i = 0; i < draws; ++i) {
                const RandomKey key = random_key(3, static_cast<std::uint64_t>(i), 1);
                const std::int64_t value =
                    jittered(step, byte_sum(random_bits(key.first, key.second, 99)));
                ASSERT_GE(value, 0);
                const double r = static_cast<double>(value) / static_cast<double>(duration);
                sum += r;
                squares += r * r;
            }
            const double mean = sum / draws;
            EXPECT_NEAR(mean, 1, 5 * deviation / std::sqrt(draws) + 1e-5);
            EXPECT_NEAR(std::sqrt(squares / draws - mean * mean), deviation, 0.02 * deviation);
        }
    }
}

TEST(Jittered, NeverIsNegative) {
    const JitterStep step = jitter_step(1'000'000, 0.3);

    EXPECT_TRUE(step.may_be_negative);
    EXPECT_EQ(jittered(step, 0), 0);
    EXPECT_FALSE(jitter_step(1'000'000, 0.25).may_be_negative);
}

TEST(VectorLoops, AgreeWithTheScalarArithmetic) {
    constexpr std::size_t n = 1031;  // no multiple of any vector length, more than a tile
    std::vector<std::uint32_t> first(n), second(n), factor(n);
    std::vector<std::int64_t> clock(n);
    for (std::size_t i = 0; i < n; ++i) {
        const RandomKey key = random_key(5, i, 0);
        first[i] = key.first;
        second[i] = key.second;
        factor[i] = fixed_factor(0.01 + 0.97 * static_cast<double>(i % 50));
        clock[i] = static_cast<std::int64_t>(mix_bits(i) >> 12);
    }
    // Narrow, clamped, and wide (more than 2^32 a unit) steps.
    const std::vector<lanes::JitteredKernel> kernels{
        {jitter_step(40'000'000, 0.05), random_counter(1)},
        {jitter_step(40'000'000, 0.3), random_counter(2)},
        {jitter_step(9'000'000'000'000, 0.29), random_counter(3)}};
    ASSERT_FALSE(kernels[2].step.is_narrow());
    std::vector<std::int64_t> work(n, 0), out(n);

    lanes::add_jittered(work.data(), first.data(), second.data(), n, kernels);
    lanes::advance_each_scaled(out.data(), clock.data(), work.data(), factor.data(), n);

    for (std::size_t i = 0; i < n; ++i) {
        std::int64_t expected = 0;
        for (const auto& kernel : kernels) {
            expected +=
                jittered(kernel.step, byte_sum(random_bits(first[i], second[i], kernel.counter)));
        }
        ASSERT_EQ(work[i], expected) << i;
        ASSERT_EQ(out[i], clock[i] + scaled(expected, factor[i])) << i;
    }
    for (const std::int64_t amount : {std::int64_t{77'777'777}, std::int64_t{77'777'777'777'777}}) {
        lanes::advance_scaled(out.data(), clock.data(), factor.data(), n, amount);
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(out[i], clock[i] + scaled(amount, factor[i])) << i;
        }
    }
}

}  // namespace
