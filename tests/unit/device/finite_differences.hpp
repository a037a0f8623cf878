// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Gradients by central differences, to hold the written ones against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/base/random.hpp"

namespace prismllm::device {

using Values = std::vector<float>;

/// Numbers in (-1, 1), the same for the same key.
inline Values numbers(std::size_t count, std::uint64_t key) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = random_word(key, i) >> 40U;
        values[i] = static_cast<float>(bits) / 8388608.0F - 1.0F;
    }
    return values;
}

inline double dot(const Values& a, const Values& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    return sum;
}

/// Expects `gradient` to be that of weights . f(at). With a step of 1e-2 on numbers near 1 the
/// difference of fp32 results is good to 1e-7 / 1e-2 = 1e-5, and the third derivative adds 1e-4.
inline void expect_gradient(const std::function<Values(const Values&)>& f, Values at,
                            const Values& weights, const Values& gradient,
                            double tolerance = 1e-3) {
    ASSERT_EQ(gradient.size(), at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        constexpr float step = 1e-2F;
        const float middle = at[i];
        at[i] = middle + step;
        const float above = at[i];
        const double up = dot(weights, f(at));
        at[i] = middle - step;
        const double down = dot(weights, f(at));
        const double width = static_cast<double>(above) - static_cast<double>(at[i]);
        at[i] = middle;
        EXPECT_NEAR(gradient[i], (up - down) / width, tolerance) << "element " << i;
    }
}

}  // namespace prismllm::device
