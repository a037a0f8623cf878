// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prismllm::engine {

std::uint32_t fixed_factor(double factor) {
    const double steps = std::round(factor * factor_one);
    return static_cast<std::uint32_t>(
        std::clamp(steps, 1.0, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
}

JitterStep jitter_step(std::int64_t duration_ps, double deviation) {
    JitterStep s;
    // One rounding of a product of doubles: the same on every IEEE machine.
    const double step_ps = static_cast<double>(duration_ps) * (deviation / byte_sum_deviation);
    s.shift = 31;
    while (s.shift > 0 && std::ldexp(step_ps, static_cast<int>(s.shift)) >= 4294967295.0) {
        --s.shift;
    }
    s.step =
        static_cast<std::uint64_t>(std::llround(std::ldexp(step_ps, static_cast<int>(s.shift))));
    s.base_ps = duration_ps - static_cast<std::int64_t>((s.step * byte_sum_mean) >> s.shift);
    s.may_be_negative = s.base_ps < 0;
    return s;
}

}  // namespace prismllm::engine
