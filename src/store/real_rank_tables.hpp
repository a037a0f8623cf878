// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// /results/real_ranks of a result file: only where ranks were executed.
#pragma once

#include "prismllm/store/result_file.hpp"

#include "reader.hpp"
#include "writer.hpp"

namespace prismllm::store {

void write_real_ranks(FileWriter& file, GroupWriter& summary, const ResultData& data);
void read_real_ranks(const FileReader& file, const GroupReader& summary, ResultData& data);

}  // namespace prismllm::store
