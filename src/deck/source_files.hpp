// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file source_files.hpp
/// A deck and the files it includes, read from disk in the order of precedence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "document.hpp"
#include "problems.hpp"

namespace prismllm::deck {

/// Reads files and follows their includes. What it finds is a list of entries, losers first.
class SourceFiles {
public:
    explicit SourceFiles(Problems& problems) : problems_{problems} {}

    /// Read the deck itself from disk.
    void read(const std::filesystem::path& path);

    /// Take the deck from memory; relative includes start at `base_dir`.
    void take(std::string_view text, const std::string& name,
              const std::filesystem::path& base_dir);

    /// Entries of all files: included ones before those of the file that includes them.
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

    /// False when the deck's own text could not be read or parsed: checks would be noise then.
    [[nodiscard]] bool is_readable() const { return is_readable_; }

    /// False when an include could not be followed: what it holds is not missing from the deck.
    [[nodiscard]] bool is_complete() const { return is_complete_; }

private:
    [[nodiscard]] bool read_file(const std::filesystem::path& path, const std::string& name,
                                 const Place& asked_from);
    [[nodiscard]] bool take_text(std::string_view text, const std::string& name,
                                 const std::filesystem::path& base_dir);
    void follow(const Entry& include, const std::filesystem::path& base_dir,
                const std::string& name);
    /// One item of an include list. @return false when its settings are not at hand.
    [[nodiscard]] bool follow(const Value& item, const Place& place,
                              const std::filesystem::path& base_dir, const std::string& name);
    void check_version(const Document& document, const Place& file);

    Problems& problems_;
    std::vector<Entry> entries_;
    std::vector<std::filesystem::path> open_;  ///< chain of files being read, to find cycles
    std::uint32_t files_read_ = 0;
    bool is_readable_ = false;
    bool is_complete_ = true;
};

}  // namespace prismllm::deck
