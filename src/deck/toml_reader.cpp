// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The only file that knows toml++.
#include <algorithm>
#include <string>

#include <toml++/toml.h>

#include "document.hpp"
#include "fields.hpp"

namespace prismllm::deck {
namespace {

// The deepest key of a deck has four parts.
constexpr int most_key_parts = 8;

std::size_t end_of_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string_view triple = quote == '"' ? R"(""")" : "'''";
    const bool multi_line = text.substr(at, 3) == triple;
    std::size_t i = at + (multi_line ? 3 : 1);
    while (i < text.size()) {
        if (multi_line ? text.substr(i, 3) == triple : text[i] == quote || text[i] == '\n') {
            return i + (multi_line ? 3 : 1);
        }
        i += quote == '"' && text[i] == '\\' ? 2 : 1;
    }
    return text.size();
}

/// Line of the first dotted key with too many parts, 0 when there is none. toml++ 3.3 nests one
/// table a part without a limit, and destroying a very deep table overflows the stack.
std::uint32_t line_of_deep_key(std::string_view text) {
    int dots = 0;
    std::size_t i = 0;
    while (i < text.size()) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            i = end_of_string(text, i);
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        dots = c == '.'                                                         ? dots + 1
               : std::string_view{"=[]{},\n"}.find(c) != std::string_view::npos ? 0
                                                                                : dots;
        if (dots >= most_key_parts) {
            const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(i), '\n');
            return static_cast<std::uint32_t>(lines) + 1;
        }
        ++i;
    }
    return 0;
}

Place place_of(const toml::source_region& region, const Place& file) {
    Place place = file;
    place.line = static_cast<std::uint32_t>(region.begin.line);
    place.column = static_cast<std::uint32_t>(region.begin.column);
    return place;
}

Value value_of(const toml::node& node) {
    Value value;
    if (const auto* boolean = node.as_boolean()) {
        value.kind = Value::Kind::boolean;
        value.boolean = boolean->get();
    } else if (const auto* integer = node.as_integer()) {
        value.kind = Value::Kind::integer;
        value.integer = integer->get();
    } else if (const auto* real = node.as_floating_point()) {
        value.kind = Value::Kind::real;
        value.real = real->get();
    } else if (const auto* text = node.as_string()) {
        value.kind = Value::Kind::text;
        value.text = text->get();
    } else if (const auto* array = node.as_array()) {
        value.kind = Value::Kind::list;
        for (const toml::node& item : *array) {
            value.items.push_back(value_of(item));
        }
    } else if (const auto* table = node.as_table()) {
        value.kind = Value::Kind::table;
        for (const auto& [key, item] : *table) {
            value.names.emplace_back(key.str());
            value.items.push_back(value_of(item));
        }
    } else {
        value.kind = Value::Kind::date;
    }
    return value;
}

/// Path of `key` inside `section`. A key that needs quotes matches no setting, even when its
/// text holds a dot.
std::string path_of(const std::string& section, std::string_view key) {
    const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
    const std::string name = bare ? std::string{key} : fmt::format("\"{}\"", key);
    return section.empty() ? name : section + "." + name;
}

void flatten(const toml::table& table, const std::string& section, const Place& file,
             Document& document) {
    for (const auto& [key, node] : table) {
        const std::string path = path_of(section, key.str());
        const toml::table* const inner = node.as_table();
        if (inner != nullptr && is_section(path)) {
            flatten(*inner, path, file, document);
        } else {
            document.entries.push_back({path, value_of(node), place_of(key.source(), file)});
        }
    }
}

std::optional<toml::table> parse_text(std::string_view text, const Place& file,
                                      Problems& problems) {
    if (!is_valid_utf8(text)) {
        problems.add(file,
                     "the text is not valid UTF-8 (a deck is TOML, and TOML is UTF-8). "
                     "Save it as UTF-8 text");
        return std::nullopt;
    }
    if (const std::uint32_t line = line_of_deep_key(text); line != 0) {
        Place place = file;
        place.line = line;
        place.column = 1;
        problems.add(place, "a key has more than {} parts (no setting is that deep). Remove it",
                     most_key_parts);
        return std::nullopt;
    }
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        problems.add(place_of(error.source(), file), "not valid TOML ({}). Correct the line",
                     shown(error.description()));
    }
    return std::nullopt;
}

}  // namespace

std::optional<Document> read_document(std::string_view text, const Place& file,
                                      Problems& problems) {
    const std::optional<toml::table> table = parse_text(text, file, problems);
    if (!table) {
        return std::nullopt;
    }
    Document document;
    flatten(*table, "", file, document);
    std::ranges::stable_sort(document.entries, {}, [](const Entry& entry) {
        return std::pair{entry.place.line, entry.place.column};
    });
    return document;
}

std::optional<Value> read_value(std::string_view text, const Place& place, Problems& problems) {
    Problems inner;
    const std::optional<toml::table> table =
        parse_text("value = " + std::string{text}, place, inner);
    const toml::node* const node = table && table->size() == 1 ? table->get("value") : nullptr;
    if (node == nullptr) {
        problems.add(place,
                     "'{}' is not a valid value (it is read as TOML). Write a number, "
                     "true, false, [a, b] or \"text\"",
                     shown(text));
        return std::nullopt;
    }
    return value_of(*node);
}

}  // namespace prismllm::deck
