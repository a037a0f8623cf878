// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/report/compare.hpp
/// Two results of one job held against each other: a native run and its emulation, or two
/// emulations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/store/result_file.hpp"

namespace prismllm::report {

/// How far one quantity lies apart over all places where both results have it.
struct Difference {
    std::string name;  ///< "iteration time", "start of communication ops", ...
    std::string unit;  ///< "ps" or "byte"
    std::int64_t places = 0;
    std::int64_t differing = 0;
    double mean = 0;  ///< of the absolute differences, in the unit
    std::int64_t p95 = 0;
    std::int64_t largest = 0;
    /// largest / the first result's size: its iteration time for instants, its own value for
    /// durations and bytes.
    double largest_relative = 0;
};

struct Comparison {
    std::vector<Difference> rows;
    std::vector<std::string> notes;  ///< what could not be compared, full sentences
    /// The row with the largest relative difference; a row without name where nothing differs.
    [[nodiscard]] Difference worst() const;
};

/// @return mismatch where the two are not of one job (other numbers of ranks, classes or ops).
[[nodiscard]] Expected<Comparison> compare(const store::ResultData& first,
                                           const store::ResultData& second);

[[nodiscard]] std::string text(const Comparison& comparison, const std::string& first,
                               const std::string& second);
/// One JSON object (docs/reference/json.md).
[[nodiscard]] std::string json(const Comparison& comparison, const std::string& first,
                               const std::string& second);

}  // namespace prismllm::report
