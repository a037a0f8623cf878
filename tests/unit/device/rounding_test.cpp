// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Rounding against every number of a format, decoded bit by bit.
#include "rounding.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace prismllm::device {
namespace {

using graph::DType;

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Format {
    DType dtype;
    int exponent_bits, mantissa_bits;
    int codes;  ///< finite numbers from 0 on, in the order of their codes
};
void PrintTo(const Format& format, std::ostream* out) {
    *out << graph::name_of(format.dtype);
}

/// Value of a positive code.
double decoded(const Format& format, int code) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int exponent = code >> format.mantissa_bits;
    const int mantissa = code & ((1 << format.mantissa_bits) - 1);
    const double fraction = std::ldexp(mantissa, -format.mantissa_bits);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias)
                         : std::ldexp(1 + fraction, exponent - bias);
}

float rounded(DType dtype, float value) {
    std::vector<float> values{value};
    round_to(dtype, values);
    return values[0];
}

class EveryNumber : public testing::TestWithParam<Format> {};

TEST_P(EveryNumber, StaysAndDrawsWhatIsNearestToIt) {
    const Format format = GetParam();
    for (int code = 0; code + 1 < format.codes; ++code) {
        const auto low = static_cast<float>(decoded(format, code));
        const auto high = static_cast<float>(decoded(format, code + 1));
        const auto middle =
            static_cast<float>((static_cast<double>(low) + static_cast<double>(high)) / 2);
        const float even = code % 2 == 0 ? low : high;
        ASSERT_EQ(rounded(format.dtype, low), low) << "code " << code;
        ASSERT_EQ(rounded(format.dtype, -high), -high) << "code " << code;
        ASSERT_EQ(rounded(format.dtype, middle), even) << "code " << code;
        ASSERT_EQ(rounded(format.dtype, -middle), -even) << "code " << code;
        ASSERT_EQ(rounded(format.dtype, std::nextafter(middle, 0.0F)), low) << "code " << code;
        ASSERT_EQ(rounded(format.dtype, std::nextafter(middle, infinity)), high) << "code " << code;
    }
}

// bf16 is fp32 cut short: below its numbers the middle is still an fp32 subnormal. The last code of
// E4M3 is a NaN, so that its largest number is 448.
INSTANTIATE_TEST_SUITE_P(Formats, EveryNumber,
                         testing::Values(Format{DType::bf16, 8, 7, 0x7f80},
                                         Format{DType::fp16, 5, 10, 0x7c00},
                                         Format{DType::fp8, 4, 3, 0x7f}));

TEST(Rounding, OfFp8SaturatesInsteadOfOverflowing) {
    EXPECT_EQ(rounded(DType::fp8, 463.9F), 448);
    EXPECT_EQ(rounded(DType::fp8, 464), 448);  // the tie to 480, which E4M3 does not have
    EXPECT_EQ(rounded(DType::fp8, -1e30F), -448);
    EXPECT_EQ(rounded(DType::fp8, infinity), 448);
    EXPECT_EQ(rounded(DType::fp8, -infinity), -448);
    EXPECT_TRUE(std::isnan(rounded(DType::fp8, std::nanf(""))));
    EXPECT_TRUE(std::signbit(rounded(DType::fp8, -0.0F)));
    EXPECT_EQ(rounded(DType::fp8, 0x1p-10F), 0);  // half of the smallest: to the even 0
}

TEST(Rounding, OfInfinityStaysInfinityWhereThereIsOne) {
    for (const DType dtype : {DType::fp32, DType::bf16, DType::fp16}) {
        EXPECT_EQ(rounded(dtype, infinity), infinity);
        EXPECT_EQ(rounded(dtype, -infinity), -infinity);
    }
}

}  // namespace
}  // namespace prismllm::device
