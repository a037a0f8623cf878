// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file quantity.hpp
/// Values with units as text: "400 Gbit/s", "1 MiB", "2.5 us". Units are case-sensitive, bits
/// and bytes are spelled out, and a value is converted with one rounding only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "prismllm/base/error.hpp"

namespace prismllm::deck {

/// What a value measures and the unit it is stored in.
enum class Quantity : std::uint8_t {
    none,
    bytes,         ///< bytes
    bandwidth,     ///< bytes/s
    flop_rate,     ///< FLOP/s
    microseconds,  ///< a time, stored in us
    seconds,       ///< a time, stored in s
};

/// One unit = 10^power_of_ten x 2^power_of_two storage units.
struct Unit {
    std::string_view name;
    int power_of_ten = 0;
    int power_of_two = 0;
};

/// Units of a quantity, largest first, the storage unit among them.
[[nodiscard]] std::span<const Unit> units_of(Quantity quantity);

/// "size", "bandwidth", "FLOP rate", "time".
[[nodiscard]] std::string_view name_of(Quantity quantity);

/// A valid value as a hint, e.g. `"400 Gbit/s"`.
[[nodiscard]] std::string_view example_of(Quantity quantity);

/// Read "<number> <unit>". The error message says what is wrong and what to write, without
/// naming the key.
[[nodiscard]] Expected<double> parse_quantity(std::string_view text, Quantity quantity);

/// Shortest text that parse_quantity turns back into exactly `value`.
/// @pre value is finite and not negative.
[[nodiscard]] std::string format_quantity(double value, Quantity quantity);

}  // namespace prismllm::deck
