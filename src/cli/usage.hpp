// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

#include "prismllm/base/error.hpp"

namespace prismllm::cli {

/// Help texts whose footers stand as they were written: examples must survive copy and paste.
/// Recent versions of CLI11 break their lines.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_format();

/// What is wrong with a command line, in the form of all our errors (usage).
[[nodiscard]] Error usage_error(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace prismllm::cli
