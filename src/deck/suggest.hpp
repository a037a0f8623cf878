// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file suggest.hpp
/// "Did you mean": the nearest known word.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace prismllm::deck {

/// Insertions, deletions, replacements and swaps of neighbors that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The choice nearest to `word`; empty when none is near.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       std::span<const std::string_view> choices);

/// The setting that an unknown dotted path most likely means: the same key of another section,
/// the setting of that Megatron-LM flag, or the nearest spelling of a setting or a section. Empty
/// when none is near.
[[nodiscard]] std::string nearest_setting(std::string_view path);

}  // namespace prismllm::deck
