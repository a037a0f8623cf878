// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace prismllm::device {
namespace {

float to_bf16(float value) {
    if (std::isnan(value)) {
        return value;
    }
    auto bits = std::bit_cast<std::uint32_t>(value);
    bits += 0x7fffU + ((bits >> 16U) & 1U);  // up to infinity by the carry
    return std::bit_cast<float>(bits & 0xffff0000U);
}

/// A small format with subnormals. `least_exponent` is frexp's, of the smallest normal number;
/// `overflow` stands for what rounds to more than `largest`.
struct SmallFormat {
    int bits;  ///< significant ones
    int least_exponent;
    float largest;
    float overflow;
};

float to_small(const SmallFormat& format, float value) {
    if (std::isnan(value)) {
        return value;
    }
    if (std::isinf(value)) {
        return std::copysign(format.overflow, value);
    }
    int exponent = 0;
    (void)std::frexp(value, &exponent);
    const int scale = format.bits - std::max(exponent, format.least_exponent);
    const float rounded = std::ldexp(std::nearbyint(std::ldexp(value, scale)), -scale);
    return std::fabs(rounded) > format.largest ? std::copysign(format.overflow, value) : rounded;
}

constexpr SmallFormat fp16{11, -13, 65504, std::numeric_limits<float>::infinity()};
/// E4M3 of the OCP 8-bit floating point specification: it has no infinity.
constexpr SmallFormat e4m3{4, -5, 448, 448};

}  // namespace

void round_to(graph::DType dtype, Out in_out) {
    const auto each = [&](auto rounded) {
        for_each(static_cast<std::int64_t>(in_out.size()), [=](std::int64_t i) {
            float& value = in_out[static_cast<std::size_t>(i)];
            value = rounded(value);
        });
    };
    if (dtype == graph::DType::bf16) {
        each(to_bf16);
    } else if (dtype == graph::DType::fp16) {
        each([](float value) { return to_small(fp16, value); });
    } else if (dtype == graph::DType::fp8) {
        each([](float value) { return to_small(e4m3, value); });
    }
}

}  // namespace prismllm::device
