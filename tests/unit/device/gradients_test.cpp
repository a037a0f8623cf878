// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Every backward operation against differences of its forward one.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "attention.hpp"
#include "finite_differences.hpp"
#include "matrix.hpp"
#include "norm.hpp"
#include "pointwise.hpp"
#include "vocabulary.hpp"

namespace prismllm::device {
namespace {

TEST(Gradient, OfALinearLayer) {
    const LinearShape shape{3, 4, 5};
    const Values x = numbers(15, 1);
    const Values w = numbers(20, 2);
    const Values bias = numbers(4, 3);
    const Values grad = numbers(12, 4);
    Values dx(15);
    Values dw = numbers(20, 5);  // added to
    const Values before = dw;
    Values dbias(4);

    linear_input_gradient(shape, grad, w, dx);
    linear_weight_gradient(shape, grad, x, dw);
    column_sums(grad, dbias);

    const auto forward = [&](const Values& in, const Values& weight, const Values& b) {
        Values y(12);
        linear_forward(shape, in, weight, b, y);
        return y;
    };
    for (std::size_t i = 0; i < dw.size(); ++i) {
        dw[i] -= before[i];
    }
    expect_gradient([&](const Values& v) { return forward(v, w, bias); }, x, grad, dx);
    expect_gradient([&](const Values& v) { return forward(x, v, bias); }, w, grad, dw);
    expect_gradient([&](const Values& v) { return forward(x, w, v); }, bias, grad, dbias);
}

TEST(Gradient, OfNormsOfRowsAndOfHeadsInsideOfRows) {
    for (const bool centered : {true, false}) {
        // Two heads of 6 columns in front of 3 other columns, 2 tokens.
        for (const RowShape& rows : {plain_rows(3, 8), RowShape{4, 6, 2, 15}}) {
            const auto size = static_cast<std::size_t>(rows.begin(rows.rows - 1) + rows.columns);
            const auto columns = static_cast<std::size_t>(rows.columns);
            const Values x = numbers(size, 1);
            const Values scale = numbers(columns, 2);
            const Values shift = centered ? numbers(columns, 3) : Values{};
            Values grad = numbers(size, 4);
            for (std::size_t i = 0; i < size && rows.group > 1; ++i) {
                grad[i] = i % 15 < 12 ? grad[i] : 0;  // the norm does not write the others
            }
            Values dx(size);
            Values dscale(columns);
            Values dshift(centered ? columns : 0);

            norm_backward(rows, grad, rows, x, scale, dx, dscale, dshift);

            const auto forward = [&](const Values& in, const Values& s, const Values& b) {
                Values y(size);
                norm_forward(rows, in, s, b, rows, y);
                return y;
            };
            expect_gradient([&](const Values& v) { return forward(v, scale, shift); }, x, grad, dx,
                            5e-3);
            expect_gradient([&](const Values& v) { return forward(x, v, shift); }, scale, grad,
                            dscale);
            if (centered) {
                expect_gradient([&](const Values& v) { return forward(x, scale, v); }, shift, grad,
                                dshift);
            }
        }
    }
}

TEST(Gradient, OfActivations) {
    for (const bool gated : {false, true}) {
        const ActivationShape shape{3, 4, gated};
        const Values x = numbers(gated ? 24 : 12, 1);
        const Values grad = numbers(12, 2);
        Values dx(x.size());

        activation_backward(shape, x, grad, dx);

        expect_gradient(
            [&](const Values& v) {
                Values y(12);
                activation_forward(shape, v, y);
                return y;
            },
            x, grad, dx);
    }
}

/// batch 2, sequence 5, 4 query heads on 2 key heads.
constexpr AttentionSizes sizes{2, 5, 4, 2, 6};
constexpr std::int64_t query_columns = 24;
constexpr std::int64_t columns = 48;
constexpr std::size_t qkv_size = 10 * columns;
constexpr std::size_t out_size = 10 * query_columns;

QueriesKeysValues parts(const Values& qkv) {
    return {{qkv.data(), columns},
            {qkv.data() + query_columns, columns},
            {qkv.data() + query_columns + 12, columns}};
}
QueriesKeysValuesGradient parts(Values& qkv) {
    return {{qkv.data(), columns},
            {qkv.data() + query_columns, columns},
            {qkv.data() + query_columns + 12, columns}};
}

std::tuple<Values, Values> fused(const Values& qkv) {
    Values out(out_size);
    Values lse(40);
    attention_forward(sizes, parts(qkv), out, lse);
    return {out, lse};
}

TEST(Gradient, OfFusedAttention) {
    const Values qkv = numbers(qkv_size, 1);
    const Values grad = numbers(out_size, 2);
    const auto [out, lse] = fused(qkv);
    Values dqkv(qkv_size, 7);

    attention_backward(sizes, parts(qkv), out, lse, grad, parts(dqkv));

    expect_gradient([](const Values& v) { return std::get<0>(fused(v)); }, qkv, grad, dqkv);
}

TEST(Attention, LaterTokensChangeNoEarlierOutput) {
    Values qkv = numbers(qkv_size, 1);
    const Values before = std::get<0>(fused(qkv));
    const std::size_t position = 3;  // of both samples
    for (std::size_t i = position * 2 * columns; i < (position + 1) * 2 * columns; ++i) {
        qkv[i] += 1;
    }

    const Values after = std::get<0>(fused(qkv));

    const auto first_changed = static_cast<std::ptrdiff_t>(position * 2 * query_columns);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + first_changed, after.begin()));
    EXPECT_NE(before[static_cast<std::size_t>(first_changed)],
              after[static_cast<std::size_t>(first_changed)]);
}

TEST(Attention, OfOneTokenIsItsValue) {
    const AttentionSizes one{1, 1, 1, 1, 2};
    const Values qkv{3, -2, 5, 7, 0.25F, -4};
    Values out(2);
    Values lse(1);

    attention_forward(one, {{qkv.data(), 6}, {qkv.data() + 2, 6}, {qkv.data() + 4, 6}}, out, lse);

    EXPECT_EQ(out, (Values{0.25F, -4}));
    EXPECT_NEAR(lse[0], (3 * 5 - 2 * 7) / std::sqrt(2.0), 1e-6);
}

TEST(Gradient, OfTheLoss) {
    const VocabularyPart whole{3, 8, 0, 6};  // two columns of padding
    const std::vector<std::int64_t> labels{5, 0, 2};
    const Values logits = numbers(24, 1);
    const auto losses = [&](const Values& in) {
        Values e = in;
        Values largest(3);
        Values predicted(3);
        Values sums(3);
        Values result(3);
        largest_logits(whole, e, largest);
        exponentials(whole, largest, labels, e, predicted, sums);
        token_losses(sums, predicted, result);
        return std::tuple{result, e, sums};
    };
    const auto [result, e, sums] = losses(logits);
    Values grad(24);

    loss_gradient(whole, e, sums, labels, 0.5F, grad);

    expect_gradient([&](const Values& v) { return std::get<0>(losses(v)); }, logits,
                    Values(3, 0.5F), grad);
    EXPECT_EQ(grad[6], 0);
    EXPECT_EQ(grad[7], 0);
}

}  // namespace
}  // namespace prismllm::device
