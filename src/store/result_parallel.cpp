// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Writing a result from all processes. The first process makes the file with all its small
/// tables; then all of them open it and write their blocks of the large columns together. Rows
/// travel to the process of their block first, so that each chunk has one writer.
#include <algorithm>
#include <map>
#include <utility>

#include "prismllm/store/result_file.hpp"

#include "complete_file.hpp"
#include "file_header.hpp"
#include "parallel_file.hpp"
#include "rank_columns.hpp"
#include "result_shares.hpp"
#include "result_tables.hpp"

namespace prismllm::store {
namespace {

RowBlock own_block(const Team& team, std::size_t rows) {
    return block_of(rows, static_cast<std::size_t>(team.self()),
                    static_cast<std::size_t>(team.size()));
}

/// Own block of a table, and how all processes write theirs.
RowAccess own_access(const Team& team, std::size_t rows, const Handle& transfer) {
    RowAccess access{transfer.id(), own_block(team, rows), 0, team.piece_bytes()};
    for (int process = 0; process < team.size(); ++process) {
        const auto block = block_of(rows, static_cast<std::size_t>(process),
                                    static_cast<std::size_t>(team.size()));
        access.most_rows = std::max(access.most_rows, block.count);
    }
    return access;
}

/// The process whose block a row is in, for many rows.
std::vector<int> writers_of(const Team& team, std::size_t rows,
                            const std::vector<std::int64_t>& wanted) {
    std::vector<int> writer_of_chunk;
    for (int process = 0; process < team.size(); ++process) {
        const auto block = block_of(rows, static_cast<std::size_t>(process),
                                    static_cast<std::size_t>(team.size()));
        const auto chunks = (block.count + rows_per_chunk - 1) / rows_per_chunk;
        writer_of_chunk.insert(writer_of_chunk.end(), chunks, process);
    }
    return pick<int>(wanted, [&](std::int64_t row) {
        return writer_of_chunk[static_cast<std::size_t>(row) / rows_per_chunk];
    });
}

Status agree_on_sizes(const Team& team, const ResultData& data) {
    const std::vector<std::int64_t> mine{data.world_size,
                                         static_cast<std::int64_t>(data.iterations.size()),
                                         static_cast<std::int64_t>(data.families.size())};
    const auto all = team.gather(mine);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] != all[i % mine.size()]) {
            return fail(ErrorCode::internal, "process {} has other table sizes than process 0",
                        i / mine.size());
        }
    }
    return {};
}

Expected<RankColumns> bring_ranks(const Team& team, const ResultData& data) {
    const auto shape = shape_of(data);
    const auto rows = pack(data.ranks, shape);
    const auto arrived = team.exchange(rows, packed_width(shape),
                                       writers_of(team, shape.ranks, data.ranks.virtual_rank));
    auto block = unpack(arrived, shape, own_block(team, shape.ranks));
    Status outcome;
    if (!block) {
        outcome = tl::unexpected{block.error()};
    }
    if (auto status = team.agree(outcome); !status) {
        return tl::unexpected{status.error()};
    }
    return block;
}

struct SharedTimeline {
    std::size_t total = 0;
    std::vector<TimelineOp> block;  ///< rows of this process's block
};

SharedTimeline bring_timeline(const Team& team, const std::vector<TimelineOp>& mine) {
    std::map<std::int64_t, std::int64_t> own_counts;
    for (const auto& op : mine) {
        ++own_counts[op.virtual_rank];
    }
    std::vector<std::int64_t> pairs;
    for (const auto& [rank, count] : own_counts) {
        pairs.insert(pairs.end(), {rank, count});
    }
    const auto all = team.gather(pairs);
    std::map<std::int64_t, std::int64_t> next_row;
    for (std::size_t i = 0; i < all.size(); i += 2) {
        next_row[all[i]] += all[i + 1];
    }
    std::int64_t total = 0;
    for (auto& [rank, row] : next_row) {
        total += std::exchange(row, total);
    }
    std::vector<std::int64_t> rows;
    for (const auto& op : mine) {
        rows.push_back(next_row[op.virtual_rank]++);
    }
    const auto size = static_cast<std::size_t>(total);
    const auto arrived =
        team.exchange(pack(mine, rows), packed_op_width, writers_of(team, size, rows));
    return {size, unpack(arrived, own_block(team, size))};
}

Status make_tables(UnfinishedFile& file, const ResultData& data, const Provenance& provenance,
                   std::size_t timeline_ops) {
    try {
        FileWriter writer{Compression{}};
        write_header(writer, result_format, data.facts.title, provenance);
        write_result_tables(writer, data, timeline_ops);
        return file.write(std::move(writer).finish());
    } catch (const SystemError& error) {
        // The other processes wait in agree().
        return tl::unexpected{Error{error.code(), error.what()}};
    }
}

void write_blocks(const Team& team, const std::filesystem::path& path, const ResultData& data,
                  const RankColumns& ranks, const SharedTimeline& timeline) {
    Handle file = team.open(path);
    try {
        const Handle transfer = Team::collective_transfer();
        const auto shape = shape_of(data);
        write_rank_columns(file.id(), own_access(team, shape.ranks, transfer), shape, ranks);
        if (timeline.total > 0) {
            write_timeline(file.id(), own_access(team, timeline.total, transfer), timeline.block);
        }
    } catch (...) {
        // Closing is collective and would wait for processes that are still writing.
        (void)file.release();
        throw;
    }
    if (!file.close()) {
        throw SystemError{ErrorCode::system, hdf5_reason()};
    }
}

}  // namespace

Status write_result(const std::filesystem::path& path, const ResultData& data,
                    const Provenance& provenance, ParallelAccess access) {
    const QuietHdf5 quiet;
    const Team team{access};
    if (auto status = team.agree(check_share(data)); !status) {
        return status;
    }
    if (auto status = agree_on_sizes(team, data); !status) {
        return status;
    }
    const auto ranks = bring_ranks(team, data);
    if (!ranks) {
        return tl::unexpected{ranks.error()};
    }
    const auto timeline = bring_timeline(team, data.timeline);

    const bool first = team.self() == 0;
    const std::int64_t mark = UnfinishedFile::new_mark();
    UnfinishedFile file{path, team.gather({&mark, 1}).front()};
    Status outcome;
    if (first) {
        outcome = make_tables(file, data, provenance, timeline.total);
    }
    if (auto status = team.agree(outcome); !status) {
        return status;
    }
    try {
        write_blocks(team, file.temporary_path(), data, *ranks, timeline);
    } catch (const SystemError& error) {
        // The job is about to be aborted: whoever fails first asks why and removes the file.
        const auto no_room = growth_problem(file.temporary_path());
        std::error_code ignored;
        std::filesystem::remove(file.temporary_path(), ignored);
        const auto told = write_error(path, no_room.empty() ? error.what() : no_room);
        throw SystemError{told.code, told.message};
    }
    if (first) {
        outcome = file.commit();
    }
    return team.agree(outcome);
}

}  // namespace prismllm::store
