// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "prismllm/base/error.hpp"

namespace prismllm::deck {
namespace {

constexpr std::array<Unit, 10> size_units{{{"PB", 15, 0},
                                           {"TiB", 0, 40},
                                           {"TB", 12, 0},
                                           {"GiB", 0, 30},
                                           {"GB", 9, 0},
                                           {"MiB", 0, 20},
                                           {"MB", 6, 0},
                                           {"KiB", 0, 10},
                                           {"kB", 3, 0},
                                           {"B", 0, 0}}};
constexpr std::array<Unit, 14> bandwidth_units{{{"TB/s", 12, 0},
                                                {"TiB/s", 0, 40},
                                                {"Tbit/s", 12, -3},
                                                {"GB/s", 9, 0},
                                                {"GiB/s", 0, 30},
                                                {"Gbit/s", 9, -3},
                                                {"MB/s", 6, 0},
                                                {"MiB/s", 0, 20},
                                                {"Mbit/s", 6, -3},
                                                {"kB/s", 3, 0},
                                                {"KiB/s", 0, 10},
                                                {"kbit/s", 3, -3},
                                                {"B/s", 0, 0},
                                                {"bit/s", 0, -3}}};
constexpr std::array<Unit, 5> flop_rate_units{{{"PFLOP/s", 15, 0},
                                               {"TFLOP/s", 12, 0},
                                               {"GFLOP/s", 9, 0},
                                               {"MFLOP/s", 6, 0},
                                               {"FLOP/s", 0, 0}}};
constexpr std::array<Unit, 5> microsecond_units{
    {{"s", 6, 0}, {"ms", 3, 0}, {"us", 0, 0}, {"ns", -3, 0}, {"ps", -6, 0}}};
constexpr std::array<Unit, 5> second_units{
    {{"s", 0, 0}, {"ms", -3, 0}, {"us", -6, 0}, {"ns", -9, 0}, {"ps", -12, 0}}};

constexpr std::array<Quantity, 5> all_quantities{Quantity::bytes, Quantity::bandwidth,
                                                 Quantity::flop_rate, Quantity::microseconds,
                                                 Quantity::seconds};

const Unit* find_unit(std::string_view name, Quantity quantity) {
    const std::span<const Unit> units = units_of(quantity);
    const auto found = std::ranges::find(units, name, &Unit::name);
    return found == units.end() ? nullptr : &*found;
}

std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Text of a number split into mantissa ("-2.5") and power of ten.
struct Number {
    std::string mantissa;
    long exponent = 0;
    std::string_view rest;  ///< what follows the number
};

std::size_t digits_at(std::string_view text, std::size_t at) {
    std::size_t count = 0;
    while (at + count < text.size() && text[at + count] >= '0' && text[at + count] <= '9') {
        ++count;
    }
    return count;
}

std::optional<Number> split_number(std::string_view text) {
    std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const std::size_t first = at;
    std::size_t digits = digits_at(text, at);
    at += digits;
    if (at < text.size() && text[at] == '.') {
        const std::size_t fraction = digits_at(text, at + 1);
        digits += fraction;
        at += 1 + fraction;
    }
    if (digits == 0) {
        return std::nullopt;
    }
    Number number;
    number.mantissa =
        fmt::format("{}{}", text[0] == '-' ? "-" : "", text.substr(first, at - first));
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        const std::size_t sign =
            at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+');
        const std::size_t count = digits_at(text, at + 1 + sign);
        if (count > 0) {
            const std::string power{text.substr(at + 1 + sign, std::min<std::size_t>(count, 6))};
            number.exponent = std::stol(power) * (text[at + 1] == '-' ? -1 : 1);
            at += 1 + sign + count;
        }
    }
    number.rest = trimmed(text.substr(at));
    return number;
}

tl::unexpected<Error> wrong_unit(std::string_view unit, Quantity quantity) {
    for (const std::string_view bits : {"bps", "bit/sec", "bits/s"}) {
        const bool ambiguous = unit.size() <= bits.size() + 1 && unit.ends_with(bits);
        if (ambiguous && quantity == Quantity::bandwidth) {
            return fail(ErrorCode::bad_deck,
                        "unit '{}' is ambiguous (bits and bytes are easily mixed up). Write "
                        "Gbit/s for bits or GB/s for bytes",
                        unit);
        }
    }
    if (unit.ends_with("Bps") && quantity == Quantity::bandwidth) {
        return fail(ErrorCode::bad_deck,
                    "unit '{}' is ambiguous (bits and bytes are easily mixed up). Write GB/s for "
                    "bytes or Gbit/s for bits",
                    unit);
    }
    for (const Quantity other : all_quantities) {
        if (find_unit(unit, other) != nullptr) {
            return fail(ErrorCode::bad_deck,
                        "'{}' is a unit of {} (a {} is expected). Write a value such as {}", unit,
                        name_of(other), name_of(quantity), example_of(quantity));
        }
    }
    std::string names;
    for (const Unit& known : units_of(quantity)) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    }
    return fail(ErrorCode::bad_deck,
                "unknown unit '{}' (units of {} are {}). Write a value such as {}", unit,
                name_of(quantity), names, example_of(quantity));
}

/// Shortest decimal text of `value` in `unit`, exact when read back; empty when it would be
/// unreadable (below one, or many digits before the point) and another unit can be taken.
std::string figures_in(double value, const Unit& unit) {
    const bool is_storage_unit = unit.power_of_ten == 0 && unit.power_of_two == 0;
    if (value == 0) {
        return is_storage_unit ? "0" : "";
    }
    std::array<char, 64> text{};
    const double scaled = std::ldexp(value, -unit.power_of_two);
    const char* const end =
        std::to_chars(text.data(), text.data() + text.size(), scaled, std::chars_format::scientific)
            .ptr;
    const std::optional<Number> number =
        split_number({text.data(), static_cast<std::size_t>(end - text.data())});
    PRISMLLM_ASSERT(number.has_value(), "to_chars writes a number");
    // The digits of `scaled` with the decimal point moved by the unit's power of ten.
    std::string digits = number->mantissa;
    std::erase(digits, '.');
    const long point = 1 + number->exponent - unit.power_of_ten;
    if (point < 1 || point > 5) {
        return is_storage_unit ? fmt::format("{}e{}", number->mantissa, number->exponent) : "";
    }
    const auto whole = static_cast<std::size_t>(point);
    if (whole >= digits.size()) {
        return digits + std::string(whole - digits.size(), '0');
    }
    return digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace

std::span<const Unit> units_of(Quantity quantity) {
    switch (quantity) {
        case Quantity::bytes:
            return size_units;
        case Quantity::bandwidth:
            return bandwidth_units;
        case Quantity::flop_rate:
            return flop_rate_units;
        case Quantity::microseconds:
            return microsecond_units;
        case Quantity::seconds:
            return second_units;
        case Quantity::none:
            break;
    }
    return {};
}

std::string_view name_of(Quantity quantity) {
    switch (quantity) {
        case Quantity::bytes:
            return "size";
        case Quantity::bandwidth:
            return "bandwidth";
        case Quantity::flop_rate:
            return "FLOP rate";
        case Quantity::microseconds:
        case Quantity::seconds:
            return "time";
        case Quantity::none:
            break;
    }
    return "number";
}

std::string_view example_of(Quantity quantity) {
    switch (quantity) {
        case Quantity::bytes:
            return "\"80 GiB\"";
        case Quantity::bandwidth:
            return "\"400 Gbit/s\"";
        case Quantity::flop_rate:
            return "\"989.4 TFLOP/s\"";
        case Quantity::microseconds:
        case Quantity::seconds:
            return "\"2.5 us\"";
        case Quantity::none:
            break;
    }
    return "1";
}

Expected<double> parse_quantity(std::string_view text, Quantity quantity) {
    text = trimmed(text);
    const std::optional<Number> number = split_number(text);
    if (!number) {
        return fail(ErrorCode::bad_deck,
                    "'{}' does not begin with a finite number (a {} with a unit is expected). "
                    "Write a value such as {}",
                    text, name_of(quantity), example_of(quantity));
    }
    if (number->rest.empty()) {
        return fail(ErrorCode::bad_deck,
                    "'{}' has no unit (a {} needs one). Write a value such as {}", text,
                    name_of(quantity), example_of(quantity));
    }
    const Unit* unit = find_unit(number->rest, quantity);
    if (unit == nullptr) {
        return wrong_unit(number->rest, quantity);
    }
    // Scaling by ten happens in the decimal text and scaling by two is exact: one rounding.
    const std::string scaled =
        fmt::format("{}e{}", number->mantissa, number->exponent + unit->power_of_ten);
    double value = 0;
    const auto [end, error] = std::from_chars(scaled.data(), scaled.data() + scaled.size(), value);
    value = std::ldexp(value, unit->power_of_two);
    if (error != std::errc{} || end != scaled.data() + scaled.size() || !std::isfinite(value)) {
        return fail(ErrorCode::bad_deck,
                    "'{}' is beyond all numbers (it over- or underflows). Write a value such as {}",
                    text, example_of(quantity));
    }
    return value + 0.0;  // -0 becomes 0
}

std::string format_quantity(double value, Quantity quantity) {
    const std::span<const Unit> units = units_of(quantity);
    std::string best;
    for (const Unit& unit : units) {
        const std::string figures = figures_in(value, unit);
        const std::string text = fmt::format("{} {}", figures, unit.name);
        if (!figures.empty() && (best.empty() || text.size() < best.size())) {
            best = text;
        }
    }
    return best;
}

}  // namespace prismllm::deck
