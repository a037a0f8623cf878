// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file echo.hpp
/// A job as a complete deck without includes.
#pragma once

#include <map>
#include <string>

#include "prismllm/target/job.hpp"

namespace prismllm::deck {

/// Dotted keys that were given, with where each value came from.
using Origins = std::map<std::string, std::string, std::less<>>;

/// All settings as TOML. Tables of fits that were not given and optional settings without a
/// value are left out.
[[nodiscard]] std::string echo_values(const target::Job& job, const Origins& origins);

/// The same with the origin of every value as a comment.
[[nodiscard]] std::string echo_with_origins(const target::Job& job, const Origins& origins);

}  // namespace prismllm::deck
