// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/text_file.hpp
/// Files that people name: they may be missing, folders, pipes, or far too long.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "prismllm/base/error.hpp"

namespace prismllm {

/// All bytes of a regular file. Anything else is refused without opening it: reading a pipe or a
/// device may never end.
/// @return bad_deck with the bare reason, to be put in brackets behind the name of the file.
[[nodiscard]] Expected<std::string> read_text_file(
    const std::filesystem::path& path,
    std::uintmax_t most_bytes = std::numeric_limits<std::uintmax_t>::max());

}  // namespace prismllm
