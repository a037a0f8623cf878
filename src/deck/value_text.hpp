// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file value_text.hpp
/// Settings as text: TOML values that load back to the same bits, ranges and kinds for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fields.hpp"

namespace prismllm::deck {

/// The setting's value as TOML; nothing when an optional setting has none.
[[nodiscard]] std::optional<std::string> value_text(const Field& field, const target::Job& job);

/// Shortest decimal text of a finite double, as a TOML number. "nan", "inf" otherwise.
[[nodiscard]] std::string number_text(double value);

/// A TOML basic string with everything escaped that must be.
[[nodiscard]] std::string quoted(std::string_view text);

/// A range for people, e.g. "1 ... 4096" or "above 0 B/s"; empty when everything is allowed.
[[nodiscard]] std::string range_text(const Field& field);

/// The allowed words: `"a", "b"`.
[[nodiscard]] std::string choices_text(const Field& field);

/// What kind of value a setting takes, e.g. "whole number" or "bandwidth".
[[nodiscard]] std::string type_text(const Field& field);

}  // namespace prismllm::deck
