// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file document.hpp
/// One TOML text as a flat list of dotted keys with values and places. The parser library stays
/// behind this header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems.hpp"

namespace prismllm::deck {

/// A TOML value. Of the members after `kind`, the one that the kind names is meaningful.
struct Value {
    enum class Kind : std::uint8_t { boolean, integer, real, text, list, table, date };
    Kind kind = Kind::text;
    bool boolean = false;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
    std::vector<Value> items;        ///< of a list, or the values of an inline table
    std::vector<std::string> names;  ///< keys of an inline table, beside `items`
};

struct Entry {
    std::string path;
    Value value;
    Place place;
};

/// Entries in the order of the text. Tables are opened only as far as the field table knows
/// them; anything else is one entry with an unknown path.
struct Document {
    std::vector<Entry> entries;
};

/// Parse a whole text. A syntax error is added to `problems` and gives nothing back; so do
/// invalid UTF-8 and keys nested deeper than any deck needs, which the parser could not survive.
[[nodiscard]] std::optional<Document> read_document(std::string_view text, const Place& file,
                                                    Problems& problems);

/// Parse one value as it would stand after `key =`.
[[nodiscard]] std::optional<Value> read_value(std::string_view text, const Place& place,
                                              Problems& problems);

/// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates).
[[nodiscard]] bool is_valid_utf8(std::string_view text);

/// "a whole number", "text", ... for messages.
[[nodiscard]] std::string_view name_of(Value::Kind kind);

}  // namespace prismllm::deck
