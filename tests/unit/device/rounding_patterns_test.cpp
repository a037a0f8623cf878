// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Rounding where equal numbers have unequal bits: NaNs and zeros.
#include <bit>
#include <cmath>
#include <ios>

#include "finite_differences.hpp"
#include "rounding.hpp"

namespace prismllm::device {
namespace {

using graph::DType;

std::uint32_t rounded_bits(DType dtype, std::uint32_t pattern) {
    Values value{std::bit_cast<float>(pattern)};
    round_to(dtype, value);
    return std::bit_cast<std::uint32_t>(value[0]);
}

TEST(RoundingPatterns, OfNaNsStayNaNs) {
    // Payloads that rounding as a number would carry away to zero or infinity.
    for (const DType dtype : {DType::fp32, DType::bf16, DType::fp16, DType::fp8}) {
        for (const std::uint32_t pattern : {0x7f800001U, 0x7fffffffU, 0xffffffffU, 0xff800001U}) {
            EXPECT_TRUE(std::isnan(std::bit_cast<float>(rounded_bits(dtype, pattern))))
                << std::hex << pattern;
        }
    }
}

TEST(RoundingPatterns, OfZerosKeepTheirSign) {
    for (const DType dtype : {DType::bf16, DType::fp16, DType::fp8}) {
        EXPECT_EQ(rounded_bits(dtype, 0), 0U);
        EXPECT_EQ(rounded_bits(dtype, 0x80000000U), 0x80000000U);
        EXPECT_EQ(rounded_bits(dtype, 0x80000001U), 0x80000000U);  // too small for any
    }
}

}  // namespace
}  // namespace prismllm::device
