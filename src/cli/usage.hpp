// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "prismllm/base/error.hpp"

namespace prismllm::cli {

/// What is wrong with a command line, in the form of all our errors (usage).
[[nodiscard]] Error usage_error(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace prismllm::cli
