// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Parts of a vocabulary against the whole, and element-wise operations against one another.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "finite_differences.hpp"
#include "optimizer_math.hpp"
#include "pointwise.hpp"
#include "vocabulary.hpp"

namespace prismllm::device {
namespace {

/// 5 tokens; 13 words in 16 columns. Of 4 ranks the last one has one word and padding.
constexpr std::int64_t tokens = 5;
constexpr std::int64_t words = 13;
constexpr std::int64_t padded = 16;
const std::vector<std::int64_t> labels{12, 0, 4, 4, 11};

class Ranks : public testing::TestWithParam<std::int64_t> {
protected:
    [[nodiscard]] VocabularyPart part(std::int64_t rank) const {
        const std::int64_t width = padded / GetParam();
        return {tokens, width, rank * width,
                std::clamp<std::int64_t>(words - rank * width, 0, width)};
    }
    /// A rank's columns of a [tokens, padded] matrix.
    [[nodiscard]] static Values columns_of(const VocabularyPart& part, const Values& all) {
        Values own;
        for (std::int64_t t = 0; t < tokens; ++t) {
            const auto begin = all.begin() + t * padded + part.first;
            own.insert(own.end(), begin, begin + part.columns);
        }
        return own;
    }
};

TEST_P(Ranks, HaveTheirColumnsOfTheGradientOfTheWholeLoss) {
    // Beyond the range of exp in fp32: only differences to the maximum may count.
    Values logits = numbers(tokens * padded, 1);
    for (float& logit : logits) {
        logit = 3 * logit + 500;
    }
    for (std::int64_t t = 0; t < tokens; ++t) {
        for (std::int64_t c = words; c < padded; ++c) {
            logits[static_cast<std::size_t>(t * padded + c)] = 1e6F;  // padding counts for nothing
        }
    }
    std::vector<Values> shards;
    Values largest(tokens, std::numeric_limits<float>::lowest());
    for (std::int64_t rank = 0; rank < GetParam(); ++rank) {
        shards.push_back(columns_of(part(rank), logits));
        Values own(tokens);
        largest_logits(part(rank), shards.back(), own);
        std::ranges::transform(own, largest, largest.begin(),
                               [](float a, float b) { return std::max(a, b); });
    }
    Values sums(tokens);
    Values predicted(tokens);
    for (std::int64_t rank = 0; rank < GetParam(); ++rank) {
        Values own_predicted(tokens);
        Values own_sums(tokens);
        exponentials(part(rank), largest, labels, shards[static_cast<std::size_t>(rank)],
                     own_predicted, own_sums);
        add(sums, own_sums, sums);
        add(predicted, own_predicted, predicted);
    }
    for (std::int64_t rank = 0; rank < GetParam(); ++rank) {
        const VocabularyPart own = part(rank);
        const Values& e = shards[static_cast<std::size_t>(rank)];
        Values grad(e.size(), 99);

        loss_gradient(own, e, sums, labels, 0.25F, grad);

        for (std::int64_t t = 0; t < tokens; ++t) {
            const auto row = logits.begin() + t * padded;
            double sum = 0;
            for (std::int64_t c = 0; c < words; ++c) {
                sum += std::exp(static_cast<double>(row[c]) - 500);
            }
            for (std::int64_t c = 0; c < own.columns; ++c) {
                const std::int64_t word = own.first + c;
                double expected = 0;
                if (word < words) {
                    expected = std::exp(static_cast<double>(row[word]) - 500) / sum;
                    expected -= labels[static_cast<std::size_t>(t)] == word ? 1 : 0;
                }
                EXPECT_NEAR(grad[static_cast<std::size_t>(t * own.columns + c)], 0.25 * expected,
                            1e-6);
            }
        }
    }
}

TEST_P(Ranks, HaveTheirRowsOfTheEmbedding) {
    constexpr std::int64_t columns = 3;
    const Values table = numbers(padded * columns, 1);
    const Values grad = numbers(tokens * columns, 2);
    Values sum(tokens * columns);
    Values dense = numbers(padded * columns, 3);  // added to
    std::vector<double> expected(dense.begin(), dense.end());
    for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t c = 0; c < columns; ++c) {
            expected[static_cast<std::size_t>(labels[t]) * columns + c] +=
                static_cast<double>(grad[t * columns + c]);
        }
    }

    for (std::int64_t rank = 0; rank < GetParam(); ++rank) {
        const std::int64_t rows = padded / GetParam();
        const auto begin = static_cast<std::size_t>(rank * rows * columns);
        const auto count = static_cast<std::size_t>(rows * columns);
        Values out(sum.size(), 99);
        embedding_forward(columns, rank * rows, labels, In{table}.subspan(begin, count), out);
        add(sum, out, sum);
        embedding_backward(columns, rank * rows, labels, grad, Out{dense}.subspan(begin, count));
    }

    for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t c = 0; c < columns; ++c) {
            EXPECT_EQ(sum[t * columns + c],
                      table[static_cast<std::size_t>(labels[t]) * columns + c]);
        }
    }
    for (std::size_t i = 0; i < dense.size(); ++i) {
        EXPECT_NEAR(dense[i], expected[i], 1e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(Vocabulary, Ranks, testing::Values(1, 2, 4, 16));

TEST(Vocabulary, SumsOfALargeOneAreGoodToFp32) {
    // The 128,256 words of Llama 3, all but one equally unlikely. In fp32 every addition to the sum
    // would round the same way.
    constexpr std::int64_t many = 128'256;
    const VocabularyPart part{1, many, 0, many};
    Values logits(many, -1);
    logits[0] = 0;
    Values predicted(1);
    Values sums(1);
    const std::vector<std::int64_t> label{7};

    exponentials(part, Values{0}, label, logits, predicted, sums);

    const double expected = 1 + (many - 1) * std::exp(-1.0);
    EXPECT_NEAR(static_cast<double>(sums[0]) / expected, 1, 2e-7);
}

TEST(Rope, BackwardIsTheTransposedTurn) {
    for (const RopeShape& sizes :
         {RopeShape{1, 1, 1, 2, 2}, RopeShape{6, 3, 2, 2, 5}, RopeShape{12, 2, 3, 6, 20, 500}}) {
        const auto size = static_cast<std::size_t>(sizes.rows * sizes.row_stride);
        const Values x = numbers(size, 1);
        const Values grad = numbers(size, 2);
        Values dx = grad;
        RopeShape backward = sizes;
        backward.backward = true;

        rope(backward, dx);

        expect_gradient(
            [&](const Values& v) {
                Values y = v;
                rope(sizes, y);
                return y;
            },
            x, grad, dx);
    }
}

TEST(Rope, TurnsEveryPairByItsAngleAndNothingElse) {
    const RopeShape shape{12, 2, 2, 6, 20, 500};
    const Values start = numbers(240, 1);
    Values turned = start;

    rope(shape, turned);

    for (std::size_t r = 0; r < 12; ++r) {
        for (std::size_t c = 0; c < 20; ++c) {
            const std::size_t i = c % 6;
            double expected = static_cast<double>(start[r * 20 + c]);
            if (c < 12) {
                const double angle =
                    static_cast<double>(r / 2) * std::pow(500, -2 * static_cast<double>(i % 3) / 6);
                const double other =
                    static_cast<double>(start[r * 20 + c + (i < 3 ? 3U : 0U) - (i < 3 ? 0U : 3U)]);
                expected = expected * std::cos(angle) + (i < 3 ? -other : other) * std::sin(angle);
            }
            EXPECT_NEAR(turned[r * 20 + c], expected, 1e-6) << "row " << r << ", column " << c;
        }
    }
}

TEST(Dropout, OfProbabilityZeroIsTheIdentity) {
    const Values x = numbers(1000, 1);
    Values out(x.size());
    Values mask(x.size());

    dropout_forward({0, 99}, x, out, mask);

    EXPECT_EQ(out, x);
    EXPECT_EQ(mask, Values(x.size(), 1));
}

TEST(Dropout, BackwardFollowsTheMaskOfTheForward) {
    const DropoutRule rule{0.5F, 99};
    const Values x = numbers(64, 1);
    const Values grad = numbers(64, 2);
    const auto forward = [&](const Values& in) {
        Values out(in.size());
        Values mask(in.size());
        dropout_forward(rule, in, out, mask);
        return std::pair{out, mask};
    };
    Values dx(64);

    dropout_backward(rule, grad, forward(x).second, dx);

    expect_gradient([&](const Values& v) { return forward(v).first; }, x, grad, dx);
}

TEST(Dropout, DiffersFromKeyToKeyWithoutPattern) {
    constexpr std::size_t count = 20'000;
    const Values ones(count, 1);
    Values out(count);
    Values mask(count);
    Values other(count);

    dropout_forward({0.5F, 1}, ones, out, mask);
    dropout_forward({0.5F, 2}, ones, out, other);

    double equal = 0;
    double equal_to_next = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        equal += mask[i] == other[i] ? 1 : 0;
        equal_to_next += mask[i] == mask[i + 1] ? 1 : 0;
    }
    // Half of the elements, five standard deviations.
    EXPECT_NEAR(equal, count / 2.0, 5 * std::sqrt(count / 4.0));
    EXPECT_NEAR(equal_to_next, count / 2.0, 5 * std::sqrt(count / 4.0));
}

TEST(Dropout, OfASampleIsTheSameInEveryMicroBatch) {
    // Positions of 4 samples with 3 columns each, against the same samples in two halves.
    constexpr std::size_t positions = 5;
    const Values ones(positions * 4 * 3, 1);
    Values out(ones.size());
    Values whole(ones.size());
    dropout_forward({0.5F, 9, 0, 4, 3, 100}, ones, out, whole);
    for (const std::size_t half : {0U, 1U}) {
        const Values half_of_ones(ones.size() / 2, 1);
        Values half_out(half_of_ones.size());
        Values mask(half_of_ones.size());

        dropout_forward({0.5F, 9, 0, 2, 3, 100 + 2 * half}, half_of_ones, half_out, mask);

        for (std::size_t i = 0; i < mask.size(); ++i) {
            const std::size_t position = i / 6;
            EXPECT_EQ(mask[i], whole[position * 12 + half * 6 + i % 6]);
        }
    }
}

TEST(ResidualAdd, DropsTheBiasedUpdateAndNothingOfTheInput) {
    const DropoutRule rule{0.25F, 5};
    const Values in = numbers(60, 1);
    const Values update = numbers(60, 2);
    const Values bias = numbers(6, 3);
    Values biased(60);
    for (std::size_t i = 0; i < 60; ++i) {
        biased[i] = update[i] + bias[i % 6];
    }
    Values dropped(60);
    Values expected_mask(60);
    dropout_forward(rule, biased, dropped, expected_mask);
    Values out(60);
    Values mask(60);

    residual_add(rule, in, update, bias, out, mask);

    EXPECT_EQ(mask, expected_mask);
    for (std::size_t i = 0; i < 60; ++i) {
        EXPECT_FLOAT_EQ(out[i], in[i] + dropped[i]);
    }
}

TEST(Activations, AreFiniteFarFromZero) {
    const Values x{-100, 100, -1e4F, 1e4F};
    const Values grad(4, 1);
    Values y(4);
    Values dx(4);
    activation_forward({4, 1, false}, x, y);
    activation_backward({4, 1, false}, x, grad, dx);
    EXPECT_EQ(y, (Values{0, 100, 0, 1e4F}));
    EXPECT_EQ(dx, (Values{0, 1, 0, 1}));

    const Values gate_up{-100, 2, 100, 2, -1e4F, 2, 1e4F, 2};
    Values dgate_up(8);
    activation_forward({4, 1, true}, gate_up, y);
    activation_backward({4, 1, true}, gate_up, grad, dgate_up);
    EXPECT_NEAR(y[0], 0, 1e-40);
    EXPECT_EQ(y[1], 200);
    EXPECT_EQ(y[3], 2e4F);
    EXPECT_NEAR(dgate_up[0], 0, 1e-40);
    EXPECT_EQ(dgate_up[2], 2);
    EXPECT_EQ(dgate_up[3], 100);
}

TEST(Adam, FollowsItsDefinitionOverManySteps) {
    AdamRule rule{1e-2F, 0.9F, 0.95F, 1e-3F, 0.1F, 0};
    Values w = numbers(8, 1);
    Values m(8);
    Values v(8);
    std::vector<double> weights(w.begin(), w.end());
    std::vector<double> first(8);
    std::vector<double> second(8);
    for (int step = 1; step <= 50; ++step) {
        const Values gradient = numbers(8, static_cast<std::uint64_t>(step) + 1);
        rule.step = step;

        adam(rule, gradient, w, m, v);

        for (std::size_t i = 0; i < 8; ++i) {
            const auto g = static_cast<double>(gradient[i]);
            first[i] = 0.9 * first[i] + 0.1 * g;
            second[i] = 0.95 * second[i] + 0.05 * g * g;
            const double update = first[i] / (1 - std::pow(0.9, step)) /
                                  (std::sqrt(second[i] / (1 - std::pow(0.95, step))) + 1e-3);
            weights[i] -= 1e-2 * (update + 0.1 * weights[i]);
        }
    }
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_NEAR(w[i], weights[i], 5e-6);  // 50 steps of 1e-2, each good to some 1e-7
    }
}

}  // namespace
}  // namespace prismllm::device
