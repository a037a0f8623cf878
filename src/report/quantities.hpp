// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Numbers as people read them: with a unit, grouped digits, sensible precision.
#pragma once

#include <cstdint>
#include <string>

namespace prismllm::report {

/// 12345678 -> "12,345,678".
[[nodiscard]] std::string grouped(std::int64_t value);
/// Picoseconds with the largest unit that leaves a whole part: "10.31 s", "214.7 us".
[[nodiscard]] std::string duration(std::int64_t picoseconds);
/// "73.42 GiB".
[[nodiscard]] std::string bytes(std::int64_t count);
/// Part of a whole in percent, "12.3 %"; "-" when the whole is 0.
[[nodiscard]] std::string share(double part, double whole);

}  // namespace prismllm::report
