// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "value_text.hpp"

#include <cmath>
#include <type_traits>

#include <fmt/format.h>

namespace prismllm::deck {
namespace {

// One overload a kind of slot.

std::string text_of(std::int64_t value, const Field& field) {
    return field.quantity == Quantity::none
               ? std::to_string(value)
               : quoted(format_quantity(static_cast<double>(value), field.quantity));
}

std::string text_of(int value, const Field&) {
    return std::to_string(value);
}

std::string text_of(double value, const Field& field) {
    return field.quantity == Quantity::none ? number_text(value)
                                            : quoted(format_quantity(value, field.quantity));
}

std::string text_of(bool value, const Field&) {
    return value ? "true" : "false";
}

std::string text_of(const std::string& value, const Field&) {
    return quoted(value);
}

template <class Enum>
requires std::is_enum_v<Enum> std::string text_of(Enum value, const Field& field) {
    return quoted(field.choices[static_cast<std::size_t>(value)]);
}

std::string text_of(const std::vector<std::int64_t>& list, const Field&) {
    std::string text;
    for (const std::int64_t item : list) {
        text += (text.empty() ? "" : ", ") + std::to_string(item);
    }
    return "[" + text + "]";
}

std::string text_of(const std::vector<target::SlowRank>& list, const Field&) {
    std::string text;
    for (const target::SlowRank& item : list) {
        text += fmt::format("{}{{rank = {}, factor = {}}}", text.empty() ? "" : ", ", item.rank,
                            number_text(item.factor));
    }
    return "[" + text + "]";
}

std::string text_of(const std::vector<target::Pause>& list, const Field&) {
    std::string text;
    for (const target::Pause& item : list) {
        text +=
            fmt::format("{}{{rank = {}, iteration = {}, time = \"{}\"}}", text.empty() ? "" : ", ",
                        item.rank, item.iteration, format_quantity(item.time_s, Quantity::seconds));
    }
    return "[" + text + "]";
}

std::string bound_text(double bound, const Field& field) {
    return field.quantity == Quantity::none ? fmt::format("{}", bound)
                                            : format_quantity(bound, field.quantity);
}

}  // namespace

std::optional<std::string> value_text(const Field& field, const target::Job& job) {
    // A slot is a pointer to a mutable member; the copy keeps this function's promise of const.
    target::Job copy = job;
    return std::visit(
        [&field](auto* slot) -> std::optional<std::string> {
            if constexpr (std::is_same_v<decltype(slot), std::optional<double>*>) {
                return *slot ? std::optional{text_of(**slot, field)} : std::nullopt;
            } else {
                return text_of(*slot, field);
            }
        },
        field.slot(copy));
}

std::string number_text(double value) {
    return fmt::format("{}", value);
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            result += fmt::format("\\u{:04X}", byte);
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string range_text(const Field& field) {
    const Range& range = field.range;
    const bool has_low = std::isfinite(range.low);
    const bool has_high = std::isfinite(range.high);
    if (!has_low && !has_high) {
        return {};
    }
    const std::string low = bound_text(range.low, field);
    const std::string high = bound_text(range.high, field);
    if (range.least > 0) {
        return fmt::format("{}, or {} ... {}", low, bound_text(range.least, field), high);
    }
    if (has_high && range.above_low) {
        return fmt::format("above {}, at most {}", low, high);
    }
    if (has_high) {
        return fmt::format("{} ... {}", low, high);
    }
    return fmt::format("{} {}", range.above_low ? "above" : "at least", low);
}

std::string choices_text(const Field& field) {
    std::string text;
    for (const std::string_view choice : field.choices) {
        text += (text.empty() ? "" : ", ") + quoted(choice);
    }
    return text;
}

std::string type_text(const Field& field) {
    if (field.quantity != Quantity::none) {
        return std::string{name_of(field.quantity)};
    }
    if (!field.choices.empty()) {
        return "word";
    }
    target::Job job;
    return std::visit(
        [](auto* slot) -> std::string {
            using T = std::remove_pointer_t<decltype(slot)>;
            if constexpr (std::is_same_v<T, bool>) {
                return "true or false";
            } else if constexpr (std::is_same_v<T, std::string>) {
                return "text";
            } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
                return "list of whole numbers";
            } else if constexpr (std::is_same_v<T, std::vector<target::SlowRank>>) {
                return "list of {rank, factor}";
            } else if constexpr (std::is_same_v<T, std::vector<target::Pause>>) {
                return "list of {rank, iteration, time}";
            } else if constexpr (std::is_integral_v<T>) {
                return "whole number";
            } else {
                return "number";
            }
        },
        field.slot(job));
}

}  // namespace prismllm::deck
