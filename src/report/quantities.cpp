// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "quantities.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace prismllm::report {

std::string grouped(std::int64_t value) {
    const std::string digits = fmt::format("{}", value);
    const std::size_t first = value < 0 ? 1 : 0;
    std::string text;
    for (std::size_t at = 0; at < digits.size(); ++at) {
        if (at > first && (digits.size() - at) % 3 == 0) {
            text += ',';
        }
        text += digits[at];
    }
    return text;
}

std::string duration(std::int64_t picoseconds) {
    static constexpr std::array<std::pair<double, const char*>, 4> units{
        {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}}};
    const auto value = static_cast<double>(picoseconds);
    for (const auto& [size, name] : units) {
        if (value >= size) {
            return fmt::format("{:.4g} {}", value / size, name);
        }
    }
    return fmt::format("{} ps", picoseconds);
}

std::string bytes(std::int64_t count) {
    static constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(count);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", count) : fmt::format("{:.2f} {}", value, units[unit]);
}

std::string share(double part, double whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : std::string{"-"};
}

}  // namespace prismllm::report
