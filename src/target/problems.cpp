// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "problems.hpp"

#include <algorithm>

namespace prismllm::target {

std::string nearest_values(std::int64_t asked, std::int64_t most,
                           const std::function<bool(std::int64_t)>& accepted, std::int64_t scale) {
    std::string text;
    for (std::int64_t below = std::min(asked - 1, most); below >= 1; --below) {
        if (accepted(below)) {
            text = fmt::format("{}", below * scale);
            break;
        }
    }
    for (std::int64_t above = asked + 1; above <= most; ++above) {
        if (accepted(above)) {
            text += fmt::format("{}{}", text.empty() ? "" : " or ", above * scale);
            break;
        }
    }
    return text;
}

std::string nearest_fitting(std::int64_t asked, std::int64_t most,
                            const std::function<bool(std::int64_t)>& accepted,
                            const std::function<bool(std::int64_t)>& suits) {
    const std::string fitting = nearest_values(
        asked, most, [&](std::int64_t value) { return accepted(value) && suits(value); });
    return fitting.empty() ? nearest_values(asked, most, accepted) : fitting;
}

std::string nearest_multiples(std::int64_t asked, std::int64_t unit) {
    const std::int64_t below = asked / unit * unit;
    if (below == 0) {
        return fmt::format("{}", unit);
    }
    return fmt::format("{} or {}", below, capped_product(asked / unit + 1, unit));
}

std::string nearest_multiples(std::int64_t asked, std::int64_t unit, std::int64_t most,
                              const std::function<bool(std::int64_t)>& accepted) {
    const std::int64_t below = asked / unit;
    std::string text;
    for (std::int64_t k = below; k >= 1 && text.empty(); --k) {
        text = accepted(k) ? std::to_string(k * unit) : "";
    }
    for (std::int64_t k = below + 1; k <= most / unit; ++k) {
        if (accepted(k)) {
            return fmt::format("{}{}{}", text, text.empty() ? "" : " or ", k * unit);
        }
    }
    return text;
}

}  // namespace prismllm::target
