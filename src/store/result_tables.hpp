// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The small part of a result file, which one process writes: everything except the values of
/// /results/ranks and /trace/ops, whose datasets it only reserves (rank_columns.hpp).
#pragma once

#include "prismllm/store/result_file.hpp"

#include "reader.hpp"
#include "writer.hpp"

namespace prismllm::store {

void write_result_tables(FileWriter& file, const ResultData& data, std::size_t timeline_ops);
/// All but ranks and timeline.
[[nodiscard]] ResultData read_result_tables(const FileReader& file);

}  // namespace prismllm::store
