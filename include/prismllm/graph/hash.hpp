// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/graph/hash.hpp
/// Order-sensitive hash of words for tables in memory. Values are not stored in files.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace prismllm::graph {

/// Fold one word into a running hash (multiply-rotate with the constants of MurmurHash3's
/// 64-bit mixer, a bijection of `word` for a given `state`).
[[nodiscard]] constexpr std::uint64_t hash_step(std::uint64_t state, std::uint64_t word) {
    state ^= word * 0xff51afd7ed558ccdULL;
    state = std::rotl(state, 29) * 0xc4ceb9fe1a85ec53ULL;
    return state ^ (state >> 32);
}

[[nodiscard]] inline std::uint64_t hash_text(std::uint64_t state, std::string_view text) {
    const std::size_t whole = text.size() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
    for (std::size_t i = 0; i < whole; i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, sizeof(word));
        state = hash_step(state, word);
    }
    std::uint64_t rest = text.size();
    for (std::size_t i = whole; i < text.size(); ++i) {
        rest = (rest << 8) | static_cast<unsigned char>(text[i]);
    }
    return hash_step(state, rest);
}

}  // namespace prismllm::graph
