// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The large part of a result file: one row a virtual rank and one row a timeline op. Each
/// process writes a block of consecutive rows whose border is a chunk's border, so that no
/// chunk is compressed twice and any number of processes leaves the same chunks.
#pragma once

#include <cstdint>
#include <limits>

#include "prismllm/store/result_file.hpp"

#include "hdf5_handle.hpp"
#include "reader.hpp"
#include "writer.hpp"

namespace prismllm::store {

/// Sizes of the rank table that all processes agree on.
struct RankTableShape {
    std::size_t ranks = 0;  ///< of the job
    std::size_t iterations = 0;
    std::size_t families = 0;
};

/// Rows of a chunk: large enough to compress well, small enough to share out 8,192 ranks.
inline constexpr std::size_t rows_per_chunk = 4096;

/// Rows first .. first + count - 1 of a table.
struct RowBlock {
    std::size_t first = 0;
    std::size_t count = 0;
};
/// The block of process `part` of `parts`.
[[nodiscard]] RowBlock block_of(std::size_t rows, std::size_t part, std::size_t parts);

void reserve_rank_columns(FileWriter& file, const RankTableShape& shape);
void reserve_timeline(FileWriter& file, std::size_t ops);

/// How a process writes its rows into an open file.
struct RowAccess {
    hid_t transfer = H5P_DEFAULT;  ///< property list; a collective one makes writing collective
    RowBlock block;                ///< of this process
    std::size_t most_rows = 0;     ///< of the largest block: all make equally many calls
    std::size_t piece_bytes = std::numeric_limits<std::size_t>::max();  ///< of a call; whole chunks
};
/// A process that holds all rows writes alone.
[[nodiscard]] inline RowAccess alone(std::size_t rows) {
    return {H5P_DEFAULT, {0, rows}, rows};
}

/// Write this process's rows. `ranks` holds exactly the block's ranks.
/// Throws SystemError with HDF5's reason as its text.
void write_rank_columns(hid_t file, const RowAccess& access, const RankTableShape& shape,
                        const RankColumns& ranks);
void write_timeline(hid_t file, const RowAccess& access, const std::vector<TimelineOp>& timeline);

[[nodiscard]] RankColumns read_rank_columns(const FileReader& file, const RankTableShape& shape);
[[nodiscard]] std::vector<TimelineOp> read_timeline(const FileReader& file,
                                                    const ResultData& tables);

}  // namespace prismllm::store
