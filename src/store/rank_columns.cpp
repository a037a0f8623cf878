// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_columns.hpp"

#include <algorithm>
#include <numeric>

namespace prismllm::store {
namespace {

const char* const ranks_group = "results/ranks";
const char* const ops_group = "trace/ops";

void check(herr_t status) {
    if (status < 0) {
        throw SystemError{ErrorCode::system, hdf5_reason()};
    }
}

Handle checked(hid_t id) {
    check(id < 0 ? -1 : 0);
    return Handle{id};
}

using Extents = std::vector<hsize_t>;

/// A group's dataset may be written by this access.
struct Target {
    hid_t group;
    const RowAccess& access;
};

hsize_t product(const Extents& extents) {
    return std::accumulate(extents.begin(), extents.end(), hsize_t{1}, std::multiplies<>{});
}

/// Chunk of a dataset; ones where it has none.
Extents chunk_of(hid_t dataset, std::size_t axes) {
    Extents chunk(axes, 1);
    const Handle properties = checked(H5Dget_create_plist(dataset));
    if (H5Pget_layout(properties.id()) == H5D_CHUNKED) {
        check(H5Pget_chunk(properties.id(), static_cast<int>(axes), chunk.data()));
    }
    return chunk;
}

/// As many whole chunks as fit the bytes of a piece, at least one: cut along the first axis, and
/// along the next only where that is not enough.
Extents piece_of(const Extents& whole, const Extents& chunk, hsize_t most_values) {
    Extents piece = whole;
    for (std::size_t axis = 0; axis < piece.size() && product(piece) > most_values; ++axis) {
        const hsize_t others = product(piece) / piece[axis];
        const hsize_t fit = most_values / others / chunk[axis] * chunk[axis];
        piece[axis] = std::min(piece[axis], std::max(fit, chunk[axis]));
    }
    return piece;
}

/// Next start of a piece, first axis fastest; false after the last one.
bool advance(Extents& start, const Extents& piece, const Extents& whole) {
    for (std::size_t axis = 0; axis < start.size(); ++axis) {
        start[axis] += piece[axis];
        if (start[axis] < whole[axis]) {
            return true;
        }
        start[axis] = 0;
    }
    return false;
}

/// One call. `mine`: extents of this process's values; a piece may lie beyond them, wholly or in
/// part, where other processes have more rows.
void write_piece(const Target& target, hid_t dataset, hid_t element, const Extents& mine,
                 std::size_t row_axis, Extents start, Extents count, const void* values) {
    for (std::size_t axis = 0; axis < mine.size(); ++axis) {
        count[axis] = std::min(count[axis], mine[axis] - std::min(mine[axis], start[axis]));
    }
    const Handle space = checked(H5Dget_space(dataset));
    const Handle memory =
        checked(H5Screate_simple(static_cast<int>(mine.size()), mine.data(), nullptr));
    if (product(count) == 0) {
        // Takes part in the collective call without a row.
        check(H5Sselect_none(space.id()));
        check(H5Sselect_none(memory.id()));
    } else {
        check(H5Sselect_hyperslab(memory.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                  nullptr));
        start[row_axis] += target.access.block.first;
        check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                  nullptr));
    }
    check(H5Dwrite(dataset, element, memory.id(), space.id(), target.access.transfer, values));
}

/// @param extents of the whole dataset, but for the axis `row_axis`, which counts rows
template <Element T>
void write_rows(const Target& target, const char* name, Extents extents, std::size_t row_axis,
                const T* values) {
    const Handle dataset = checked(H5Dopen2(target.group, name, H5P_DEFAULT));
    Extents mine = extents;
    mine[row_axis] = target.access.block.count;
    extents[row_axis] = target.access.most_rows;
    const Extents piece = piece_of(extents, chunk_of(dataset.id(), extents.size()),
                                   std::max<hsize_t>(1, target.access.piece_bytes / sizeof(T)));
    Extents start(extents.size(), 0);
    do {
        write_piece(target, dataset.id(), element_type<T>().memory, mine, row_axis, start, piece,
                    values);
    } while (advance(start, piece, extents));
}

template <Element T, class Value>
void write_picked(const Target& target, const char* name, const std::vector<TimelineOp>& rows,
                  Value value_of) {
    const auto values = pick<T>(rows, value_of);
    write_rows<T>(target, name, {0}, 0, values.data());
}

}  // namespace

RowBlock block_of(std::size_t rows, std::size_t part, std::size_t parts) {
    const std::size_t chunks = (rows + rows_per_chunk - 1) / rows_per_chunk;
    const std::size_t first = std::min(rows, chunks * part / parts * rows_per_chunk);
    const std::size_t end = std::min(rows, chunks * (part + 1) / parts * rows_per_chunk);
    return {first, end - first};
}

void reserve_rank_columns(FileWriter& file, const RankTableShape& shape) {
    auto group = file.group(ranks_group);
    const hsize_t rows = std::min(shape.ranks, rows_per_chunk);
    group.dimension("virtual_rank", shape.ranks);
    group.dimension("iteration", shape.iterations);
    group.dimension("family", shape.families);
    // Small jobs may run very many iterations: a chunk takes several, or their number explodes.
    constexpr std::size_t chunk_values = 65536;
    const std::size_t deep =
        std::clamp<std::size_t>(chunk_values / rows, 1, std::max<std::size_t>(1, shape.iterations));
    group.reserve<std::int64_t>({"end_ps", "ps", "emulated instant the rank ended the iteration"},
                                {"iteration", "virtual_rank"}, {deep, rows});
    group.reserve<std::int64_t>({"busy_ps", "ps", "time in kernels of the compute stream"},
                                {"virtual_rank"}, {rows});
    group.reserve<std::int64_t>(
        {"communication_ps", "ps", "exposed communication, sum over iterations"},
        {"virtual_rank", "family"}, {rows, 1});
    group.reserve<std::int64_t>(
        {"skew_ps", "ps", "waiting for peers (pipeline: bubble), sum over iterations"},
        {"virtual_rank", "family"}, {rows, 1});
    group.reserve<std::int32_t>({"rank_class", "1", "row in /results/classes"}, {"virtual_rank"},
                                {rows});
    group.reserve<std::int32_t>({"stage", "1", "pipeline stage"}, {"virtual_rank"}, {rows});
    group.reserve<std::int64_t>({"peak_memory_bytes", "byte", "highest memory in use"},
                                {"virtual_rank"}, {rows});
}

void write_rank_columns(hid_t file, const RowAccess& access, const RankTableShape& shape,
                        const RankColumns& ranks) {
    const QuietHdf5 quiet;
    const Handle group = checked(H5Gopen2(file, ranks_group, H5P_DEFAULT));
    const Target target{group.id(), access};
    if (shape.ranks == 0) {
        return;
    }
    if (shape.iterations > 0) {
        write_rows(target, "end_ps", {shape.iterations, 0}, 1, ranks.end_ps.data());
    }
    write_rows(target, "busy_ps", {0}, 0, ranks.busy_ps.data());
    if (shape.families > 0) {
        write_rows(target, "communication_ps", {0, shape.families}, 0,
                   ranks.communication_ps.data());
        write_rows(target, "skew_ps", {0, shape.families}, 0, ranks.skew_ps.data());
    }
    write_rows(target, "rank_class", {0}, 0, ranks.rank_class.data());
    write_rows(target, "stage", {0}, 0, ranks.stage.data());
    write_rows(target, "peak_memory_bytes", {0}, 0, ranks.peak_memory_bytes.data());
}

RankColumns read_rank_columns(const FileReader& file, const RankTableShape& shape) {
    const auto group = file.group("/results/ranks");
    const auto n = shape.ranks;
    RankColumns ranks;
    ranks.end_ps = group.column<std::int64_t>("end_ps", {shape.iterations, n});
    ranks.busy_ps = group.column<std::int64_t>("busy_ps", {n});
    ranks.communication_ps = group.column<std::int64_t>("communication_ps", {n, shape.families});
    ranks.skew_ps = group.column<std::int64_t>("skew_ps", {n, shape.families});
    ranks.rank_class = group.column<std::int32_t>("rank_class", {n});
    ranks.stage = group.column<std::int32_t>("stage", {n});
    ranks.peak_memory_bytes = group.column<std::int64_t>("peak_memory_bytes", {n});
    // Rows stand in rank order, so the ranks themselves are not stored.
    ranks.virtual_rank.resize(n);
    std::iota(ranks.virtual_rank.begin(), ranks.virtual_rank.end(), std::int64_t{0});
    return ranks;
}

void reserve_timeline(FileWriter& file, std::size_t ops) {
    auto group = file.group(ops_group);
    const std::vector<hsize_t> chunk{std::min(std::max<std::size_t>(ops, 1), rows_per_chunk)};
    const std::vector<std::string> dims{"entry"};
    group.dimension("entry", ops);
    group.reserve<std::int64_t>({"virtual_rank", "1", "virtual rank"}, dims, chunk);
    group.reserve<std::int64_t>({"op", "1", "position in the op list of the rank's class"}, dims,
                                chunk);
    group.reserve<std::int64_t>({"start_ps", "ps", "emulated start"}, dims, chunk);
    group.reserve<std::int64_t>({"end_ps", "ps", "emulated end"}, dims, chunk);
    group.reserve<std::int32_t>({"iteration", "1", "iteration"}, dims, chunk);
    group.reserve<std::int32_t>({"name", "1", "row in /trace/names"}, dims, chunk);
    group.reserve<std::uint8_t>({"stream", "1", "row in /trace/streams"}, dims, chunk);
    group.reserve<std::uint8_t>({"phase", "1", "part of the step", flag_meanings<graph::Phase>()},
                                dims, chunk);
    group.reserve<std::int16_t>({"micro_batch", "1", "micro-batch, -1: none"}, dims, chunk);
    group.reserve<std::int16_t>({"layer", "1", "global layer, -1: none"}, dims, chunk);
}

void write_timeline(hid_t file, const RowAccess& access, const std::vector<TimelineOp>& rows) {
    const QuietHdf5 quiet;
    const Handle group = checked(H5Gopen2(file, ops_group, H5P_DEFAULT));
    const Target to{group.id(), access};
    write_picked<std::int64_t>(to, "virtual_rank", rows, [](auto& r) { return r.virtual_rank; });
    write_picked<std::int64_t>(to, "op", rows, [](auto& r) { return r.op; });
    write_picked<std::int64_t>(to, "start_ps", rows, [](auto& r) { return r.start_ps; });
    write_picked<std::int64_t>(to, "end_ps", rows, [](auto& r) { return r.end_ps; });
    write_picked<std::int32_t>(to, "iteration", rows, [](auto& r) { return r.iteration; });
    write_picked<std::int32_t>(to, "name", rows, [](auto& r) { return r.name; });
    write_picked<std::uint8_t>(to, "stream", rows, [](auto& r) { return r.stream; });
    write_picked<std::uint8_t>(to, "phase", rows, [](auto& r) { return r.phase; });
    write_picked<std::int16_t>(to, "micro_batch", rows, [](auto& r) { return r.micro_batch; });
    write_picked<std::int16_t>(to, "layer", rows, [](auto& r) { return r.layer; });
}

std::vector<TimelineOp> read_timeline(const FileReader& file, const ResultData& tables) {
    const auto group = file.group("/trace/ops");
    const auto n = group.size_of("entry");
    const auto ranks = group.column<std::int64_t>("virtual_rank", {n});
    const auto ops = group.column<std::int64_t>("op", {n});
    const auto starts = group.column<std::int64_t>("start_ps", {n});
    const auto ends = group.column<std::int64_t>("end_ps", {n});
    const auto iterations = group.column<std::int32_t>("iteration", {n});
    const auto names = group.column<std::int32_t>("name", {n});
    const auto streams = group.column<std::uint8_t>("stream", {n});
    const auto phases = group.enumeration<graph::Phase>("phase", n);
    const auto micro_batches = group.column<std::int16_t>("micro_batch", {n});
    const auto layers = group.column<std::int16_t>("layer", {n});
    group.allowance().take(n, sizeof(TimelineOp), group.where("entry"));
    std::vector<TimelineOp> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
        const bool sound = ranks[i] >= 0 && ranks[i] < tables.world_size && names[i] >= 0 &&
                           static_cast<std::size_t>(names[i]) < tables.op_names.size() &&
                           streams[i] < tables.streams.size();
        if (!sound) {
            reject("entry {} of '/trace/ops' names a rank, stream or name that does not exist", i);
        }
        const bool timed = ops[i] >= 0 && iterations[i] >= 0 &&
                           static_cast<std::size_t>(iterations[i]) < tables.iterations.size() &&
                           starts[i] >= 0 && ends[i] >= starts[i];
        if (!timed) {
            reject("entry {} of '/trace/ops' is in no iteration or ends before it starts", i);
        }
        rows[i] = {ranks[i], ops[i],     starts[i], ends[i],          iterations[i],
                   names[i], streams[i], phases[i], micro_batches[i], layers[i]};
    }
    return rows;
}

}  // namespace prismllm::store
