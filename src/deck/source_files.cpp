// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "source_files.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "prismllm/base/text_file.hpp"

namespace prismllm::deck {
namespace {

namespace fs = std::filesystem;

// A deck is a page of text; these only stop mistakes (a wrong file) and runaway includes.
constexpr std::uintmax_t most_bytes = 1 << 20;
constexpr std::size_t deepest_include = 16;
constexpr std::uint32_t most_files = 128;
constexpr std::int64_t schema_version = 1;

bool has_control_characters(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// One spelling for one file, so that a cycle through links and ".." is seen.
fs::path identity_of(const fs::path& path) {
    std::error_code error;
    fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path.lexically_normal() : canonical;
}

}  // namespace

void SourceFiles::read(const fs::path& path) {
    const std::string name = path.string();
    is_readable_ = read_file(path, name, Place{shown(name), files_read_, 0, 0});
}

void SourceFiles::take(std::string_view text, const std::string& name, const fs::path& base_dir) {
    if (text.size() > most_bytes) {
        problems_.add(Place{shown(name), 0, 0, 0},
                      "the text is too long ({} bytes, and a deck has at most {}). Is it a deck?",
                      text.size(), most_bytes);
        return;
    }
    is_readable_ = take_text(text, name, base_dir);
}

bool SourceFiles::read_file(const fs::path& path, const std::string& name,
                            const Place& asked_from) {
    const Expected<std::string> text = read_text_file(path, most_bytes);
    if (!text) {
        problems_.add(asked_from, "cannot read deck file {} ({}). Check the path", shown(name),
                      text.error().message);
        return false;
    }
    open_.push_back(identity_of(path));
    const bool is_good = take_text(*text, name, path.parent_path());
    open_.pop_back();
    return is_good;
}

bool SourceFiles::take_text(std::string_view text, const std::string& name,
                            const fs::path& base_dir) {
    const bool is_deck = files_read_ == 0;
    const Place file{shown(name), files_read_++, 0, 0};
    std::optional<Document> document = read_document(text, file, problems_);
    if (!document) {
        return false;
    }
    const auto is = [](std::string_view key) {
        return [key](const Entry& entry) { return entry.path == key; };
    };
    if (is_deck || std::ranges::any_of(document->entries, is("schema_version"))) {
        check_version(*document, file);
    }
    const auto include = std::ranges::find_if(document->entries, is("include"));
    if (include != document->entries.end()) {
        follow(*include, base_dir, name);
    }
    for (Entry& entry : document->entries) {
        if (entry.path != "schema_version" && entry.path != "include") {
            entries_.push_back(std::move(entry));
        }
    }
    return true;
}

void SourceFiles::follow(const Entry& include, const fs::path& base_dir, const std::string& name) {
    if (include.value.kind != Value::Kind::list) {
        problems_.add(include.place, "include is {} (a list of files is expected). Write {}",
                      name_of(include.value.kind), R"(include = ["file.toml"])");
        is_complete_ = false;
        return;
    }
    for (const Value& item : include.value.items) {
        is_complete_ = follow(item, include.place, base_dir, name) && is_complete_;
    }
}

bool SourceFiles::follow(const Value& item, const Place& place, const fs::path& base_dir,
                         const std::string& name) {
    if (item.kind != Value::Kind::text || item.text.empty() || has_control_characters(item.text)) {
        problems_.add(place, "include holds {} (names of files are expected). Write {}",
                      item.kind == Value::Kind::text ? "no name of a file" : name_of(item.kind),
                      R"(include = ["file.toml"])");
        return false;
    }
    const fs::path path = base_dir / item.text;
    const std::string shown_as =
        (fs::path{name}.parent_path() / item.text).lexically_normal().string();
    if (std::ranges::find(open_, identity_of(path)) != open_.end()) {
        problems_.add(place,
                      "include of {} goes in a circle (that file includes this one). Remove "
                      "one of the two",
                      shown(shown_as));
    } else if (open_.size() >= deepest_include || files_read_ >= most_files) {
        problems_.add(place, "include of {} goes too far (at most {} files, {} deep). Include less",
                      shown(shown_as), most_files, deepest_include);
    } else {
        return read_file(path, shown_as, place);
    }
    return false;
}

void SourceFiles::check_version(const Document& document, const Place& file) {
    const auto found = std::ranges::find(document.entries, "schema_version", &Entry::path);
    if (found == document.entries.end()) {
        problems_.add(file,
                      "schema_version is missing (it says how to read the deck). Write "
                      "schema_version = {} on top",
                      schema_version);
        return;
    }
    if (found->value.kind != Value::Kind::integer) {
        problems_.add(found->place, "schema_version is {} (a whole number is expected). Write {}",
                      name_of(found->value.kind), schema_version);
    } else if (found->value.integer != schema_version) {
        problems_.add(found->place,
                      "schema_version {} is unknown (this program reads version {}). Use a newer "
                      "program or rewrite the deck",
                      found->value.integer, schema_version);
    }
}

}  // namespace prismllm::deck
