// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/report/report.hpp
/// A result for people (text), for programs (JSON) and for trace viewers. Pure functions of a
/// stored result: the same file gives the same report anywhere.
#pragma once

#include <string>

#include "prismllm/store/result_file.hpp"

namespace prismllm::report {

/// One page of text, 100 columns, every number with its unit.
/// @param file path to name in the last line; empty: not named.
[[nodiscard]] std::string text(const store::StoredResult& result, const std::string& file);

/// One JSON object. Keys are stable between minor versions (docs/reference/json.md).
[[nodiscard]] std::string json(const store::StoredResult& result, const std::string& file);

/// Comma-separated tables: one row a stage, with a header line that names units.
[[nodiscard]] std::string stages_csv(const store::StoredResult& result);

/// The recorded timelines in Chrome's trace event format, which Perfetto opens too: a process a
/// virtual rank, a thread a stream. Empty timelines give an empty trace.
[[nodiscard]] std::string chrome_trace(const store::StoredResult& result);

}  // namespace prismllm::report
