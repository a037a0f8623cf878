// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Linear layers, attention and norms against their definitions, computed element by element in
// double precision. An operation in fp32 over n terms near 1 is good to some n x 6e-8.
#include <cmath>
#include <ostream>
#include <utility>
#include <vector>

#include "attention.hpp"
#include "finite_differences.hpp"
#include "matrix.hpp"
#include "norm.hpp"

namespace prismllm::device {
namespace {

double at(const Values& values, std::int64_t index) {
    return static_cast<double>(values[static_cast<std::size_t>(index)]);
}

Values sized(std::int64_t count, std::uint64_t key) {
    return numbers(static_cast<std::size_t>(count), key);
}

TEST(Linear, IsTheProductWithTheTransposedWeight) {
    for (const LinearShape& shape :
         {LinearShape{1, 1, 1}, LinearShape{1, 5, 3}, LinearShape{7, 2, 9}, LinearShape{6, 4, 1}}) {
        const auto [tokens, columns, inner] = shape;
        const Values x = sized(tokens * inner, 1);
        const Values w = sized(columns * inner, 2);
        const Values bias = sized(columns, 3);
        Values plain = sized(tokens * columns, 4);  // overwritten
        Values biased = plain;

        linear_forward(shape, x, w, {}, plain);
        linear_forward(shape, x, w, bias, biased);

        for (std::int64_t t = 0; t < tokens; ++t) {
            for (std::int64_t c = 0; c < columns; ++c) {
                double sum = 0;
                for (std::int64_t i = 0; i < inner; ++i) {
                    sum += at(x, t * inner + i) * at(w, c * inner + i);
                }
                EXPECT_NEAR(at(plain, t * columns + c), sum, 2e-6);
                EXPECT_NEAR(at(biased, t * columns + c), sum + at(bias, c), 2e-6);
            }
        }
    }
}

TEST(Linear, GradientsOverwriteTheInputsAndAddToTheWeights) {
    const LinearShape shape{5, 3, 2};
    const Values grad = numbers(15, 1);
    const Values x = numbers(10, 2);
    const Values w = numbers(6, 3);
    const Values before = numbers(6, 4);
    Values dx(10, 99);
    Values dw = before;
    Values sums(3, 99);

    linear_input_gradient(shape, grad, w, dx);
    linear_weight_gradient(shape, grad, x, dw);
    column_sums(grad, sums);

    for (std::int64_t i = 0; i < 2; ++i) {
        for (std::int64_t t = 0; t < 5; ++t) {
            double sum = 0;
            for (std::int64_t c = 0; c < 3; ++c) {
                sum += at(grad, t * 3 + c) * at(w, c * 2 + i);
            }
            EXPECT_NEAR(at(dx, t * 2 + i), sum, 1e-6);
        }
        for (std::int64_t c = 0; c < 3; ++c) {
            double sum = at(before, c * 2 + i);
            for (std::int64_t t = 0; t < 5; ++t) {
                sum += at(grad, t * 3 + c) * at(x, t * 2 + i);
            }
            EXPECT_NEAR(at(dw, c * 2 + i), sum, 1e-6);
        }
    }
    for (std::int64_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::int64_t t = 0; t < 5; ++t) {
            sum += at(grad, t * 3 + c);
        }
        EXPECT_NEAR(at(sums, c), sum, 1e-6);
    }
}

/// Queries, keys and values side by side in each row, and what attention makes of them.
struct Case {
    const char* name;
    AttentionSizes sizes;

    [[nodiscard]] std::int64_t tokens() const { return sizes.batch * sizes.sequence; }
    [[nodiscard]] std::int64_t query_columns() const { return sizes.heads * sizes.head_dim; }
    [[nodiscard]] std::int64_t key_columns() const { return sizes.kv_heads * sizes.head_dim; }
    [[nodiscard]] std::int64_t columns() const { return query_columns() + 2 * key_columns(); }
    [[nodiscard]] std::size_t out_size() const {
        return static_cast<std::size_t>(tokens() * query_columns());
    }
    [[nodiscard]] std::size_t square() const {
        return static_cast<std::size_t>(tokens() * sizes.heads * sizes.sequence);
    }
    template <class Parts, class Data>
    [[nodiscard]] Parts parts(Data data) const {
        return {{data, columns()},
                {data + query_columns(), columns()},
                {data + query_columns() + key_columns(), columns()}};
    }
};
void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

/// One query: its probabilities over the positions up to its own, and log sum exp of the scores.
struct Row {
    std::vector<double> probabilities;
    double log_sum_exp = 0;
};

/// Element e of a head of a token; `begin` is the column where heads of that sort begin.
double element(const Case& c, const Values& qkv, std::int64_t position, std::int64_t sample,
               std::int64_t begin, std::int64_t head, std::int64_t e) {
    const std::int64_t token = position * c.sizes.batch + sample;
    return at(qkv, token * c.columns() + begin + head * c.sizes.head_dim + e);
}

Row row_of(const Case& c, const Values& qkv, std::int64_t sample, std::int64_t head,
           std::int64_t position) {
    const std::int64_t kv_head = head * c.sizes.kv_heads / c.sizes.heads;
    Row row;
    double sum = 0;
    for (std::int64_t other = 0; other <= position; ++other) {
        double score = 0;
        for (std::int64_t e = 0; e < c.sizes.head_dim; ++e) {
            score += element(c, qkv, position, sample, 0, head, e) *
                     element(c, qkv, other, sample, c.query_columns(), kv_head, e);
        }
        row.probabilities.push_back(
            std::exp(score / std::sqrt(static_cast<double>(c.sizes.head_dim))));
        sum += row.probabilities.back();
    }
    for (double& p : row.probabilities) {
        p /= sum;
    }
    row.log_sum_exp = std::log(sum);
    return row;
}

class AttentionOf : public testing::TestWithParam<Case> {
protected:
    const Case c = GetParam();
    const Values qkv = sized(c.tokens() * c.columns(), 1);
};

TEST_P(AttentionOf, IsItsDefinition) {
    const AttentionSizes& s = c.sizes;
    const auto in = c.parts<QueriesKeysValues>(qkv.data());
    Values out(c.out_size(), 99);
    Values lse(static_cast<std::size_t>(c.tokens() * s.heads), 99);
    Values p(c.square(), 99);
    Values unfused(c.out_size(), 99);

    attention_forward(s, in, out, lse);
    attention_scores(s, in, p);
    masked_softmax(s, p);
    attention_context(s, p, in.values, unfused);

    for (std::int64_t sample = 0; sample < s.batch; ++sample) {
        for (std::int64_t head = 0; head < s.heads; ++head) {
            for (std::int64_t position = 0; position < s.sequence; ++position) {
                const Row row = row_of(c, qkv, sample, head, position);
                const std::int64_t token = position * s.batch + sample;
                EXPECT_NEAR(at(lse, token * s.heads + head), row.log_sum_exp, 2e-6);
                const std::int64_t begin =
                    ((sample * s.heads + head) * s.sequence + position) * s.sequence;
                for (std::int64_t other = 0; other < s.sequence; ++other) {
                    EXPECT_NEAR(
                        at(p, begin + other),
                        other <= position ? row.probabilities[static_cast<std::size_t>(other)] : 0,
                        1e-6);
                }
                for (std::int64_t e = 0; e < s.head_dim; ++e) {
                    double expected = 0;
                    for (std::int64_t other = 0; other <= position; ++other) {
                        expected +=
                            row.probabilities[static_cast<std::size_t>(other)] *
                            element(c, qkv, other, sample, c.query_columns() + c.key_columns(),
                                    head * s.kv_heads / s.heads, e);
                    }
                    const std::int64_t place = (token * s.heads + head) * s.head_dim + e;
                    EXPECT_NEAR(at(out, place), expected, 2e-6);
                    EXPECT_NEAR(at(unfused, place), expected, 2e-6);
                }
            }
        }
    }
}

TEST_P(AttentionOf, HasTheGradientOfItsDifferences) {
    const AttentionSizes& s = c.sizes;
    const Values grad = numbers(c.out_size(), 2);
    const auto forward = [&](const Values& in) {
        Values out(c.out_size());
        Values lse(static_cast<std::size_t>(c.tokens() * s.heads));
        attention_forward(s, c.parts<QueriesKeysValues>(in.data()), out, lse);
        return std::pair{out, lse};
    };
    const auto [out, lse] = forward(qkv);
    Values dqkv(qkv.size(), 99);

    attention_backward(s, c.parts<QueriesKeysValues>(qkv.data()), out, lse, grad,
                       c.parts<QueriesKeysValuesGradient>(dqkv.data()));

    expect_gradient([&](const Values& v) { return forward(v).first; }, qkv, grad, dqkv);
}

INSTANTIATE_TEST_SUITE_P(Sizes, AttentionOf,
                         testing::Values(Case{"one token, one head", {1, 1, 1, 1, 2}},
                                         Case{"one token of each sample", {3, 1, 2, 2, 2}},
                                         Case{"a head for each", {2, 5, 3, 3, 4}},
                                         Case{"groups of two", {2, 4, 4, 2, 6}},
                                         Case{"one key head for all", {3, 4, 3, 1, 2}},
                                         Case{"odd head size", {1, 7, 2, 1, 5}}));

TEST(Attention, BearsScoresBeyondTheRangeOfTheExponential) {
    const AttentionSizes sizes{1, 2, 1, 1, 2};
    // The second query's scores are 20000 and 20001 / sqrt(2): only their difference counts.
    const Values qkv{0, 0, 100, 100, 1, 2, 100, 100, 100, 100.01F, 3, 4};
    Values out(4);
    Values lse(2);

    attention_forward(sizes, {{qkv.data(), 6}, {qkv.data() + 2, 6}, {qkv.data() + 4, 6}}, out, lse);

    const double second = 1 / (1 + std::exp(-1 / std::sqrt(2.0)));
    EXPECT_NEAR(out[2], 1 + 2 * second, 2e-3);  // fp32 keeps 20001 to 2e-3
    EXPECT_NEAR(out[3], 2 + 2 * second, 2e-3);
    EXPECT_NEAR(lse[1], 20000 / std::sqrt(2.0) + std::log1p(std::exp(1 / std::sqrt(2.0))), 4e-3);
}

TEST(Attention, SumsOfALongRowAreGoodToFp32) {
    // All keys but the first are equally unlike the query; the value of the first is 1.
    const AttentionSizes sizes{1, 2048, 1, 1, 2};
    Values qkv(2048 * 6);
    for (std::size_t i = 0; i < 2048; ++i) {
        qkv[i * 6] = i == 2047 ? 1 : 0;  // the query of the last position
        qkv[i * 6 + 2] = i == 0 ? 0 : -1;
        qkv[i * 6 + 4] = i == 0 ? 1 : 0;
    }
    Values out(2048 * 2);
    Values lse(2048);

    attention_forward(sizes, {{qkv.data(), 6}, {qkv.data() + 2, 6}, {qkv.data() + 4, 6}}, out, lse);

    const double sum = 1 + 2047 * std::exp(-1 / std::sqrt(2.0));
    EXPECT_NEAR(at(out, 2047 * 2) * sum, 1, 3e-7);
    EXPECT_NEAR(at(lse, 2047), std::log(sum), 1e-6);
}

struct NormCase {
    const char* name;
    RowShape in, out;
    float offset = 0;  ///< added to the input
};
void PrintTo(const NormCase& c, std::ostream* out) {
    *out << c.name;
}

class NormOf : public testing::TestWithParam<NormCase> {};

std::int64_t extent(const RowShape& shape) {
    return shape.begin(shape.rows - 1) + shape.columns;
}

TEST_P(NormOf, IsItsDefinition) {
    const auto& [name, in, out, offset] = GetParam();
    Values x = sized(extent(in), 1);
    for (float& value : x) {
        value += offset;
    }
    const Values scale = sized(in.columns, 2);
    const Values shift = sized(in.columns, 3);
    Values layer_norm(static_cast<std::size_t>(extent(out)), 99);
    Values rms_norm = layer_norm;
    Values written(layer_norm.size());

    norm_forward(in, x, scale, shift, out, layer_norm);
    norm_forward(in, x, scale, {}, out, rms_norm);

    // x itself is exact to 6e-8 of the offset, which the division by a deviation near 0.6 blows up.
    const double tolerance = 2e-6 + 3e-7 * static_cast<double>(offset);
    const auto n = static_cast<double>(in.columns);
    for (std::int64_t r = 0; r < in.rows; ++r) {
        double mean = 0;
        double mean_square = 0;
        for (std::int64_t c = 0; c < in.columns; ++c) {
            mean += at(x, in.begin(r) + c) / n;
            mean_square += at(x, in.begin(r) + c) * at(x, in.begin(r) + c) / n;
        }
        double variance = 0;
        for (std::int64_t c = 0; c < in.columns; ++c) {
            variance += std::pow(at(x, in.begin(r) + c) - mean, 2) / n;
        }
        for (std::int64_t c = 0; c < in.columns; ++c) {
            const double value = at(x, in.begin(r) + c);
            const double centered = (value - mean) / std::sqrt(variance + 1e-5);
            EXPECT_NEAR(at(layer_norm, out.begin(r) + c), centered * at(scale, c) + at(shift, c),
                        tolerance);
            EXPECT_NEAR(at(rms_norm, out.begin(r) + c),
                        value / std::sqrt(mean_square + 1e-5) * at(scale, c), 2e-6);
            written[static_cast<std::size_t>(out.begin(r) + c)] = 1;
        }
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
        EXPECT_TRUE(written[i] == 1 || (layer_norm[i] == 99 && rms_norm[i] == 99)) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, NormOf,
    testing::Values(NormCase{"one token", plain_rows(1, 8), plain_rows(1, 8)},
                    NormCase{"one column", plain_rows(3, 1), plain_rows(3, 1)},
                    NormCase{"odd columns", plain_rows(4, 7), plain_rows(4, 7)},
                    NormCase{"far from zero", plain_rows(2, 16), plain_rows(2, 16), 1000},
                    NormCase{"heads into a narrower matrix", RowShape{6, 4, 2, 15},
                             RowShape{6, 4, 2, 11}}));

TEST(Norm, BackwardMayWorkInPlace) {
    for (const bool centered : {true, false}) {
        const RowShape rows{4, 6, 2, 15};
        const auto size = static_cast<std::size_t>(extent(rows));
        const Values x = numbers(size, 1);
        const Values scale = numbers(6, 2);
        const Values grad = numbers(size, 3);
        Values apart = grad;  // the columns between the heads
        Values dscale(6);
        Values dshift(centered ? 6 : 0);
        norm_backward(rows, grad, rows, x, scale, apart, dscale, dshift);
        Values in_place = grad;
        Values dscale_in_place(6);
        Values dshift_in_place(dshift.size());

        norm_backward(rows, in_place, rows, x, scale, in_place, dscale_in_place, dshift_in_place);

        EXPECT_EQ(in_place, apart);
        EXPECT_NE(in_place, grad);
        EXPECT_EQ(dscale_in_place, dscale);
        EXPECT_EQ(dshift_in_place, dshift);
    }
}

}  // namespace
}  // namespace prismllm::device
