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

/// Longer durations are all this one; graph::check_consistent refuses it as out of range.
inline constexpr Duration longest_duration{1'000'000'000'000'000'000};

/// Seconds to the next whole picosecond (rounded up, so that nothing costs zero by rounding).
/// Infinite and not-a-number count as longest_duration. @pre seconds is not negative.
[[nodiscard]] inline Duration duration_from_seconds(double seconds) {
    const double picoseconds = std::ceil(seconds * 1e12);
    return picoseconds < static_cast<double>(longest_duration.count())
               ? Duration{static_cast<std::int64_t>(picoseconds)}
               : longest_duration;
}

[[nodiscard]] constexpr double to_seconds(Duration d) {
    return static_cast<double>(d.count()) * 1e-12;
}

}  // namespace prismllm
