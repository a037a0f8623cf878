// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/printable.hpp
/// Text of others, fit for a terminal: names and values that messages quote may hold anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prismllm {

enum class Newlines : std::uint8_t { escaped, kept };

/// `text` with control characters (C0, DEL, and C1 as UTF-8 or as single bytes) as \xNN.
[[nodiscard]] std::string printable(std::string_view text, Newlines newlines = Newlines::escaped);

}  // namespace prismllm
