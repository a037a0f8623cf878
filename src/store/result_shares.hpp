// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What one process holds of a result: is it sound, and how does it travel to the process that
/// writes its rows? Rows travel as int64 values.
#pragma once

#include <cstdint>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/store/result_file.hpp"

#include "rank_columns.hpp"

namespace prismllm::store {

[[nodiscard]] RankTableShape shape_of(const ResultData& data);

/// Sizes of columns, order of ranks and of the timeline, ranges of indices.
/// @return internal: only a mistake of ours breaks them.
[[nodiscard]] Status check_share(const ResultData& data);

/// As far as a file can break it: throws a Rejection when a rank names no class.
void check_references(const ResultData& data);

/// Values in a packed row of the rank table; the virtual rank comes first.
[[nodiscard]] std::size_t packed_width(const RankTableShape& shape);
[[nodiscard]] std::vector<std::int64_t> pack(const RankColumns& ranks, const RankTableShape& shape);
/// Rows in any order into the columns of a block.
/// @return internal unless they are exactly the block's ranks.
[[nodiscard]] Expected<RankColumns> unpack(const std::vector<std::int64_t>& rows,
                                           const RankTableShape& shape, RowBlock block);

inline constexpr std::size_t packed_op_width = 11;  ///< row in the file, then the op's fields
[[nodiscard]] std::vector<std::int64_t> pack(const std::vector<TimelineOp>& timeline,
                                             const std::vector<std::int64_t>& rows);
[[nodiscard]] std::vector<TimelineOp> unpack(const std::vector<std::int64_t>& packed,
                                             RowBlock block);

}  // namespace prismllm::store
