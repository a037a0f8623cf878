// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Integer arithmetic on durations: speed factors and jitter. The vector loops and the scalar
/// code (timelines) share these functions, so both give the same bits.
#pragma once

#include <cstdint>

#include "prismllm/base/random.hpp"

namespace prismllm::engine {

/// Speed factors are multiples of 2^-22: 0.01 is held to 3e-5, 1 exactly, 1000 is the largest.
inline constexpr int factor_bits = 22;
inline constexpr std::uint32_t factor_one = 1U << factor_bits;

/// Nearest representable factor. @pre 0 < factor < 1024.
[[nodiscard]] std::uint32_t fixed_factor(double factor);

/// round(work * factor), halves up, exactly. @pre 0 <= work, work * factor < 2^63.
[[nodiscard]] inline std::int64_t scaled(std::int64_t work, std::uint32_t factor) {
    const std::uint64_t low = static_cast<std::uint64_t>(work) & 0xffffffffU;
    const std::uint64_t high = static_cast<std::uint64_t>(work) >> 32;
    constexpr std::uint64_t half = std::uint64_t{1} << (factor_bits - 1);
    return static_cast<std::int64_t>(((high * factor) << (32 - factor_bits)) +
                                     ((low * factor + half) >> factor_bits));
}

/// A kernel duration with jitter: base + (step * byte_sum >> shift), not below 0.
struct JitterStep {
    std::int64_t base_ps = 0;
    std::uint64_t step = 0;  ///< change a unit of byte_sum, times 2^shift
    std::uint32_t shift = 0;
    bool may_be_negative = false;  ///< base_ps < 0, so the result needs clamping

    /// `step` fits 32 bits: the vector loop multiplies 32 x 32 bits.
    [[nodiscard]] bool is_narrow() const { return step <= 0xffffffffU; }
};

/// @param deviation relative standard deviation, 0 to 0.3.
[[nodiscard]] JitterStep jitter_step(std::int64_t duration_ps, double deviation);

[[nodiscard]] inline std::int64_t jittered(const JitterStep& s, std::uint32_t sum) {
    const std::int64_t value = s.base_ps + static_cast<std::int64_t>((s.step * sum) >> s.shift);
    return value < 0 ? 0 : value;
}

}  // namespace prismllm::engine
