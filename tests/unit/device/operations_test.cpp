// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Forward operations against values worked out by hand or in double precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "finite_differences.hpp"
#include "optimizer_math.hpp"
#include "pointwise.hpp"
#include "rounding.hpp"
#include "start_values.hpp"
#include "vocabulary.hpp"

namespace prismllm::device {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(Vocabulary, ShardsTogetherGiveTheWholeLoss) {
    // 10 words; 16 columns over 1, 2 or 4 ranks, so that the last one of 4 has padding only.
    const std::vector<std::int64_t> labels{9, 0, 4};
    const Values logits = numbers(3 * 16, 1);
    for (const std::int64_t ranks : {1, 2, 4}) {
        const std::int64_t width = 16 / ranks;
        std::vector<Values> shards;
        Values largest(3, -infinity);
        std::vector<VocabularyPart> all;
        for (std::int64_t r = 0; r < ranks; ++r) {
            const VocabularyPart part{3, width, r * width,
                                      std::clamp<std::int64_t>(10 - r * width, 0, width)};
            all.push_back(part);
            Values shard;
            for (std::int64_t t = 0; t < 3; ++t) {
                const auto begin = logits.begin() + t * 16 + r * width;
                shard.insert(shard.end(), begin, begin + width);
            }
            Values most(3);
            largest_logits(part, shard, most);
            for (std::size_t t = 0; t < 3; ++t) {
                largest[t] = std::max(largest[t], most[t]);
            }
            shards.push_back(shard);
        }
        Values sums(3);
        Values predicted(3);
        for (std::size_t r = 0; r < all.size(); ++r) {
            Values own_predicted(3);
            Values own_sums(3);
            exponentials(all[r], largest, labels, shards[r], own_predicted, own_sums);
            for (std::size_t t = 0; t < 3; ++t) {
                sums[t] += own_sums[t];
                predicted[t] += own_predicted[t];
            }
        }
        Values losses(3);
        token_losses(sums, predicted, losses);
        for (std::size_t t = 0; t < 3; ++t) {
            double sum = 0;
            for (std::size_t c = 0; c < 10; ++c) {
                sum += std::exp(static_cast<double>(logits[t * 16 + c]));
            }
            const auto label = static_cast<std::size_t>(labels[t]);
            EXPECT_NEAR(losses[t], std::log(sum) - static_cast<double>(logits[t * 16 + label]),
                        1e-6);
        }
    }
}

TEST(Vocabulary, EmbeddingShardsAddUpAndGradientsAreScattered) {
    const Values table = numbers(8 * 3, 1);
    const std::vector<std::int64_t> ids{7, 2, 7};
    Values sum(9);
    for (const std::int64_t first : {0, 4}) {
        const Values shard(table.begin() + first * 3, table.begin() + (first + 4) * 3);
        Values out(9);
        embedding_forward(3, first, ids, shard, out);
        add(sum, out, sum);
    }
    const Values grad{1, 2, 3, 4, 5, 6, 7, 8, 9};
    Values dense(12);

    embedding_backward(3, 4, ids, grad, dense);

    for (std::size_t t = 0; t < 3; ++t) {
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(sum[t * 3 + c], table[static_cast<std::size_t>(ids[t]) * 3 + c]);
        }
    }
    EXPECT_EQ(dense, (Values{0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 12}));  // row 7 twice
}

TEST(Rope, TurnsByThePositionAndBackAgain) {
    RopeShape shape{4, 2, 1, 4, 6};  // positions 0, 0, 1, 1
    const Values start = numbers(24, 1);
    Values turned = start;

    rope(shape, turned);

    // Position 1: pair (0, 2) by one radian, pair (1, 3) by 10000^(-1/2).
    EXPECT_EQ(turned[0], start[0]);
    EXPECT_EQ(turned[4], start[4]);  // behind the heads
    const double a = static_cast<double>(start[12]);
    const double b = static_cast<double>(start[14]);
    EXPECT_NEAR(turned[12], a * std::cos(1.0) - b * std::sin(1.0), 1e-6);
    EXPECT_NEAR(turned[14], b * std::cos(1.0) + a * std::sin(1.0), 1e-6);
    const double c = static_cast<double>(start[13]);
    const double d = static_cast<double>(start[15]);
    EXPECT_NEAR(turned[13], c * std::cos(0.01) - d * std::sin(0.01), 1e-6);
    shape.backward = true;
    rope(shape, turned);
    for (std::size_t i = 0; i < start.size(); ++i) {
        EXPECT_NEAR(turned[i], start[i], 1e-6);
    }
}

TEST(Activations, HaveTheirKnownValues) {
    const Values x{0, 1, -2};
    Values y(3);
    activation_forward({3, 1, false}, x, y);
    EXPECT_NEAR(y[0], 0, 1e-7);
    EXPECT_NEAR(y[1], 0.841192, 1e-6);  // tanh form; erf gives 0.841345
    EXPECT_NEAR(y[2], -0.045402, 1e-6);
    const Values gate_up{2, 3};
    Values gated(1);
    activation_forward({1, 1, true}, gate_up, gated);
    EXPECT_NEAR(gated[0], 3 * 2 / (1 + std::exp(-2.0)), 1e-6);
}

TEST(Dropout, KeepsTheShareItShouldAndScalesIt) {
    const DropoutRule rule{0.25F, 99};
    const Values ones(100'000, 1);
    Values out(ones.size());
    Values mask(ones.size());
    Values again(ones.size());
    Values tail(10);
    Values tail_mask(10);

    dropout_forward(rule, ones, out, mask);
    dropout_forward(rule, ones, out, again);
    DropoutRule later = rule;
    later.first = 500;
    dropout_forward(later, Values(10, 1), tail, tail_mask);

    double kept = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        kept += static_cast<double>(mask[i]);
        EXPECT_EQ(out[i], mask[i] == 0 ? 0.0F : 1 / 0.75F);
    }
    EXPECT_NEAR(kept, 75'000, 5 * std::sqrt(100'000 * 0.25 * 0.75));
    EXPECT_EQ(mask, again);
    EXPECT_TRUE(std::equal(tail_mask.begin(), tail_mask.end(), mask.begin() + 500));
}

TEST(ResidualAdd, AddsTheBiasOfEachColumn) {
    Values out(4);

    residual_add({}, Values{1, 2, 3, 4}, Values{10, 20, 30, 40}, Values{0.5F, 0.25F}, out, {});

    EXPECT_EQ(out, (Values{11.5F, 22.25F, 33.5F, 44.25F}));
}

TEST(Adam, TakesTwoStepsAsWorkedOutByHand) {
    AdamRule rule{0.1F, 0.5F, 0.75F, 0, 0.5F, 1};
    Values w{2};
    Values m(1);
    Values v(1);

    adam(rule, Values{4}, w, m, v);
    // m = 2, v = 4; corrected 4 and 16: update 1; decay 0.5 x 2: w = 2 - 0.1 x (1 + 1)
    EXPECT_EQ(m[0], 2);
    EXPECT_EQ(v[0], 4);
    EXPECT_NEAR(w[0], 1.8, 1e-6);
    rule.step = 2;
    adam(rule, Values{-4}, w, m, v);
    // m = -1, corrected by 0.75: -4/3; v = 7, corrected by 0.4375: 16; update -1/3
    EXPECT_EQ(m[0], -1);
    EXPECT_EQ(v[0], 7);
    EXPECT_NEAR(w[0], 1.8 - 0.1 * (-1.0 / 3 + 0.9), 1e-6);
}

TEST(Gradients, AreClippedAndChecked) {
    EXPECT_EQ(clip_factor(4, 0), 1);
    EXPECT_EQ(clip_factor(4, 3), 1);
    EXPECT_NEAR(clip_factor(4, 1), 0.5, 1e-6);
    EXPECT_EQ(sum_of_squares(Values{3, -4}), 25);
    Values good{4, -2};
    EXPECT_TRUE(unscale(0.5F, good));
    EXPECT_EQ(good, (Values{2, -1}));
    Values infinite{1, infinity};
    EXPECT_FALSE(unscale(1, infinite));
    Values undefined{std::nanf(""), 1};
    EXPECT_FALSE(unscale(1, undefined));
}

Values rounded(graph::DType dtype, Values values) {
    round_to(dtype, values);
    return values;
}

TEST(Rounding, GoesToTheNearestAndAtATieToTheEven) {
    using graph::DType;
    // bf16: 8 significant bits, steps of 2^-7 above 1
    EXPECT_EQ(rounded(DType::bf16, {1 + 0x1p-8F, 1 + 3 * 0x1p-8F, 1 + 0x1p-8F + 0x1p-20F}),
              (Values{1, 1 + 0x1p-6F, 1 + 0x1p-7F}));
    EXPECT_EQ(rounded(DType::bf16, {0x1.fffffep127F, -0x1p-133F}), (Values{infinity, -0x1p-133F}));
    // fp16: 11 significant bits, steps of 2^-10 above 1 and of 2^-24 near 0
    EXPECT_EQ(rounded(DType::fp16, {1 + 0x1p-11F, 1 + 3 * 0x1p-11F, 0x1.8p-24F, 0x1p-26F}),
              (Values{1, 1 + 0x1p-9F, 0x1p-23F, 0}));
    EXPECT_EQ(rounded(DType::fp16, {65504, 65519, 65520, -1e6F}),
              (Values{65504, 65504, infinity, -infinity}));
    EXPECT_EQ(rounded(DType::fp32, {1 + 0x1p-23F}), (Values{1 + 0x1p-23F}));
    for (const DType dtype : {DType::bf16, DType::fp16}) {
        EXPECT_TRUE(std::isnan(rounded(dtype, {std::nanf("")})[0]));
        EXPECT_TRUE(std::signbit(rounded(dtype, {-0.0F})[0]));
    }
}

TEST(StartValues, OfAPartAreThoseOfTheWhole) {
    using program::ParameterPart;
    const StartRule rule{7, 0.02, 8};
    ParameterPart whole{"layer 0 qkv weight", ParameterPart::Start::normal, 6, 0, {{10, 0}}};
    Values all(60);
    fill_part(rule, whole, all);
    ParameterPart part = whole;
    part.columns = 2;
    part.first_column = 3;
    part.rows = {{1, 2}, {2, 7}};
    Values some(6);

    fill_part(rule, part, some);

    std::size_t next = 0;
    for (const std::size_t row : {2U, 7U, 8U}) {
        for (const std::size_t column : {3U, 4U}) {
            EXPECT_EQ(some[next++], all[row * 6 + column]);
        }
    }
}

TEST(StartValues, HaveTheirDeviation) {
    using program::ParameterPart;
    const StartRule rule{7, 0.02, 8};
    for (const auto start : {ParameterPart::Start::normal, ParameterPart::Start::residual}) {
        Values values(100'000);
        fill_part(rule, {"weight", start, 100, 0, {{1000, 0}}}, values);
        const double deviation = start == ParameterPart::Start::normal ? 0.02 : 0.02 / 4;
        double sum = 0;
        for (const float value : values) {
            sum += static_cast<double>(value);
        }
        // five standard errors
        EXPECT_NEAR(sum / 1e5, 0, 5 * deviation / std::sqrt(1e5));
        EXPECT_NEAR(std::sqrt(sum_of_squares(values) / 1e5), deviation,
                    5 * deviation / std::sqrt(2e5));
    }
}

}  // namespace
}  // namespace prismllm::device
