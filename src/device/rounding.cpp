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

/// fp16: 11 significant bits, least exponent -14, largest value 65504.
float to_fp16(float value) {
    if (!std::isfinite(value)) {
        return value;
    }
    constexpr int bits = 11;
    constexpr int least_exponent = -13;  // frexp's, of the smallest normal number 2^-14
    int exponent = 0;
    (void)std::frexp(value, &exponent);
    const int scale = bits - std::max(exponent, least_exponent);
    const float rounded = std::ldexp(std::nearbyint(std::ldexp(value, scale)), -scale);
    if (std::fabs(rounded) > 65504.0F) {
        return std::copysign(std::numeric_limits<float>::infinity(), value);
    }
    return rounded;
}

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
        each(to_fp16);
    }
}

}  // namespace prismllm::device
