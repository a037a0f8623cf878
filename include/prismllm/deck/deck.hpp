// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/deck/deck.hpp
/// From a deck (TOML text, included files, --set overrides) to checked settings. Settings are
/// checked one by one here: names, types, units, ranges. What they mean together is checked by
/// target::make_layout. All keys: docs/reference/deck.md, generated from the same table.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::deck {

struct Deck {
    target::Job job;
    /// Every setting with its value, defaults included, as a deck without includes. Loading it
    /// gives the same job and the same hash.
    std::string values_toml;
    /// values_toml with the origin of each value as a comment: default, file:line or --set.
    std::string resolved_toml;
    /// SHA-256 of values_toml, so equal settings have equal hashes wherever they came from.
    std::string sha256;
    /// Dotted keys that the deck itself or an override sets; what it includes is shared by many.
    std::vector<std::string> own_keys;
};

/// Read a deck file. `overrides` are "section.key=value" texts and win over all files.
/// Precedence: default < included file (later ones win) < including file < override.
/// Errors (bad_deck): a file that cannot be read, or all that is wrong with the content at once,
/// one line each, as file:line:column.
[[nodiscard]] Expected<Deck> load(const std::filesystem::path& path,
                                  const std::vector<std::string>& overrides = {});

/// As load, for text in memory. `name` stands for the file name in messages; relative includes
/// start at `base_dir`.
[[nodiscard]] Expected<Deck> parse(std::string_view text, const std::string& name,
                                   const std::filesystem::path& base_dir,
                                   const std::vector<std::string>& overrides = {});

/// The page docs/reference/deck.md.
[[nodiscard]] std::string reference_markdown();

/// Help on one key ("parallel.tensor_parallel"), on all keys of a section ("parallel"), on those
/// of a Megatron-LM flag ("--seq-length", dashes or not), or on those of a name ("seed").
/// Errors (usage): nothing of these; the message names the nearest key.
[[nodiscard]] Expected<std::string> help(std::string_view path);

}  // namespace prismllm::deck
