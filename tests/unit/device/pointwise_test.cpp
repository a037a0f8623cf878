// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Element-wise operations: whole ranges, parts of tensors, and what they are meant to achieve.
#include "pointwise.hpp"

#include <cmath>
#include <numbers>

#include "finite_differences.hpp"
#include "matrix.hpp"

namespace prismllm::device {
namespace {

double exact_gelu(double x) {
    return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

double exact_silu(double x) {
    return x / (1 + std::exp(-x));
}

template <class F>
double slope(const F& f, double x) {
    constexpr double step = 1e-5;  // in double: good to 1e-10
    return (f(x + step) - f(x - step)) / (2 * step);
}

TEST(Activations, AreTheirDefinitionsOverTheWholeRange) {
    // fp32 holds numbers of 12 to 5e-7 and loses that much where 1 + tanh is near 0.
    for (float x = -12; x <= 12; x += 0.375F) {
        constexpr float up = -1.75F;
        constexpr float grad = 0.5F;
        const auto exact = static_cast<double>(x);
        Values gelu(1);
        Values gelu_slope(1);
        Values gated(1);
        Values gated_slope(2);

        activation_forward({1, 1, false}, Values{x}, gelu);
        activation_backward({1, 1, false}, Values{x}, Values{grad}, gelu_slope);
        activation_forward({1, 1, true}, Values{x, up}, gated);
        activation_backward({1, 1, true}, Values{x, up}, Values{grad}, gated_slope);

        EXPECT_NEAR(gelu[0], exact_gelu(exact), 2e-6) << x;
        EXPECT_NEAR(gelu_slope[0], 0.5 * slope(exact_gelu, exact), 1e-5) << x;
        EXPECT_NEAR(gated[0], -1.75 * exact_silu(exact), 5e-6) << x;
        EXPECT_NEAR(gated_slope[0], 0.5 * -1.75 * slope(exact_silu, exact), 5e-6) << x;
        EXPECT_NEAR(gated_slope[1], 0.5 * exact_silu(exact), 2e-6) << x;
    }
}

TEST(Activations, GateAndUpAreHalvesOfARow) {
    Values y(4);

    activation_forward({2, 2, true}, Values{0, 50, 3, 4, 60, 0, 5, 6}, y);

    EXPECT_EQ(y, (Values{0, 200, 300, 0}));
}

TEST(ResidualAdd, OfPartsOfTheTokensIsThatOfTheWhole) {
    const Values in = numbers(40, 1);
    const Values update = numbers(40, 2);
    Values whole(40);
    Values mask(40);
    residual_add({0.5F, 5, 0}, in, update, {}, whole, mask);
    Values parts(40);

    for (const std::size_t first : {0U, 20U}) {
        residual_add({0.5F, 5, static_cast<std::int64_t>(first)}, In{in}.subspan(first, 20),
                     In{update}.subspan(first, 20), {}, Out{parts}.subspan(first, 20),
                     Out{mask}.subspan(first, 20));
    }

    EXPECT_EQ(parts, whole);
}

TEST(ResidualAdd, GradientsAreThoseOfDifferences) {
    const DropoutRule rule{0.25F, 5, 0};
    const Values in = numbers(20, 1);
    const Values update = numbers(20, 2);
    const Values bias = numbers(4, 3);
    const Values grad = numbers(20, 4);
    Values mask(20);
    Values out(20);
    const auto forward = [&](const Values& u, const Values& b) {
        residual_add(rule, in, u, b, out, mask);
        return out;
    };
    forward(update, bias);
    Values grad_update(20);
    Values grad_bias(4);

    dropout_backward(rule, grad, mask, grad_update);
    column_sums(grad_update, grad_bias);

    expect_gradient([&](const Values& v) { return forward(v, bias); }, update, grad, grad_update);
    expect_gradient([&](const Values& v) { return forward(update, v); }, bias, grad, grad_bias);
}

TEST(Rope, ProductsDependOnTheDistanceOfPositionsAlone) {
    const RopeShape shape{9, 1, 1, 6, 6};
    const Values query = numbers(6, 1);
    const Values key = numbers(6, 2);
    Values queries;
    Values keys;
    for (int position = 0; position < 9; ++position) {
        queries.insert(queries.end(), query.begin(), query.end());
        keys.insert(keys.end(), key.begin(), key.end());
    }

    rope(shape, queries);
    rope(shape, keys);

    const auto product = [&](std::ptrdiff_t m, std::ptrdiff_t n) {
        return dot({queries.begin() + m * 6, queries.begin() + (m + 1) * 6},
                   {keys.begin() + n * 6, keys.begin() + (n + 1) * 6});
    };
    for (const std::ptrdiff_t distance : {-2, 0, 3}) {
        for (std::ptrdiff_t n = 2; n + 3 < 9; ++n) {
            EXPECT_NEAR(product(n + distance, n), product(3 + distance, 3), 1e-6);
        }
    }
    EXPECT_GT(std::fabs(product(5, 2) - product(2, 2)), 1e-2);
    EXPECT_GT(std::fabs(product(5, 2) - product(2, 5)), 1e-2);
}

TEST(Pointwise, AddsScalesAndFills) {
    Values out{1, 2};
    add(Values{1, 2}, Values{10, 20}, out);
    EXPECT_EQ(out, (Values{11, 22}));
    scale(-0.5F, out);
    EXPECT_EQ(out, (Values{-5.5F, -11}));
    fill(3, out);
    EXPECT_EQ(out, (Values{3, 3}));
}

}  // namespace
}  // namespace prismllm::device
