// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/counted.hpp
/// Numbers with the noun that they count, for reports and messages.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace prismllm {

/// "1 rank", "2 ranks", "0 processes": regular nouns in the singular, of which those that end in s
/// get -es.
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

}  // namespace prismllm
