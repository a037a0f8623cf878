// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/units.hpp
/// Emulated time is counted in whole picoseconds, so that sums are exact and every process
/// computes the same number in any order. int64 picoseconds reach about 106 days.
/// Inside hot arrays and files time is a raw int64 whose name ends in `_ps`.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <ratio>

namespace prismllm {

/// Emulated duration. There is no clock with now() for it: emulated time is computed, not read.
using Duration = std::chrono::duration<std::int64_t, std::pico>;

/// Seconds to the next whole picosecond (rounded up, so that nothing costs zero by rounding).
/// @pre seconds is finite, not negative and below 9.2e6.
[[nodiscard]] inline Duration duration_from_seconds(double seconds) {
    return Duration{static_cast<std::int64_t>(std::ceil(seconds * 1e12))};
}

[[nodiscard]] constexpr double to_seconds(Duration d) {
    return static_cast<double>(d.count()) * 1e-12;
}

}  // namespace prismllm
