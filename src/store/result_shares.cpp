// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "result_shares.hpp"

#include <algorithm>

namespace prismllm::store {
namespace {

// Fields of a packed rank row before the per-iteration and per-family values.
constexpr std::size_t fixed_fields = 5;

bool columns_fit(const RankColumns& ranks, const RankTableShape& shape) {
    const auto n = ranks.virtual_rank.size();
    return ranks.end_ps.size() == n * shape.iterations && ranks.busy_ps.size() == n &&
           ranks.communication_ps.size() == n * shape.families &&
           ranks.skew_ps.size() == n * shape.families && ranks.rank_class.size() == n &&
           ranks.stage.size() == n && ranks.peak_memory_bytes.size() == n;
}

bool ascends_within(const std::vector<std::int64_t>& ranks, std::int64_t world_size) {
    const bool rising =
        std::adjacent_find(ranks.begin(), ranks.end(), std::greater_equal<>{}) == ranks.end();
    return rising && (ranks.empty() || (ranks.front() >= 0 && ranks.back() < world_size));
}

bool timeline_is_sound(const ResultData& data) {
    const auto by_rank = [](const TimelineOp& a, const TimelineOp& b) {
        return a.virtual_rank < b.virtual_rank;
    };
    return std::is_sorted(data.timeline.begin(), data.timeline.end(), by_rank) &&
           std::all_of(data.timeline.begin(), data.timeline.end(), [&](const TimelineOp& op) {
               return op.virtual_rank >= 0 && op.virtual_rank < data.world_size && op.name >= 0 &&
                      static_cast<std::size_t>(op.name) < data.op_names.size() &&
                      op.stream < data.streams.size();
           });
}

bool names_a_class(const ResultData& data) {
    return std::all_of(
        data.ranks.rank_class.begin(), data.ranks.rank_class.end(), [&](std::int32_t number) {
            return number >= 0 && static_cast<std::size_t>(number) < data.classes.size();
        });
}

RankColumns empty_columns(const RankTableShape& shape, RowBlock block) {
    const auto n = block.count;
    RankColumns ranks;
    ranks.virtual_rank.assign(n, -1);
    ranks.end_ps.resize(n * shape.iterations);
    ranks.busy_ps.resize(n);
    ranks.communication_ps.resize(n * shape.families);
    ranks.skew_ps.resize(n * shape.families);
    ranks.rank_class.resize(n);
    ranks.stage.resize(n);
    ranks.peak_memory_bytes.resize(n);
    return ranks;
}

void unpack_row(const std::int64_t* row, const RankTableShape& shape, std::size_t i,
                RankColumns& ranks) {
    const auto n = ranks.virtual_rank.size();
    ranks.virtual_rank[i] = row[0];
    ranks.busy_ps[i] = row[1];
    ranks.rank_class[i] = static_cast<std::int32_t>(row[2]);
    ranks.stage[i] = static_cast<std::int32_t>(row[3]);
    ranks.peak_memory_bytes[i] = row[4];
    const std::int64_t* value = row + fixed_fields;
    for (std::size_t iteration = 0; iteration < shape.iterations; ++iteration) {
        ranks.end_ps[iteration * n + i] = *value++;
    }
    for (std::size_t family = 0; family < shape.families; ++family) {
        ranks.communication_ps[i * shape.families + family] = *value++;
    }
    for (std::size_t family = 0; family < shape.families; ++family) {
        ranks.skew_ps[i * shape.families + family] = *value++;
    }
}

}  // namespace

RankTableShape shape_of(const ResultData& data) {
    return {static_cast<std::size_t>(data.world_size), data.iterations.size(),
            data.families.size()};
}

Status check_share(const ResultData& data) {
    const auto shape = shape_of(data);
    const bool stages_fit =
        std::all_of(data.stages.begin(), data.stages.end(), [&](const StageRow& row) {
            return row.communication_ps.size() == shape.families &&
                   row.skew_ps.size() == shape.families;
        });
    if (data.world_size < 1 || !columns_fit(data.ranks, shape) || !stages_fit) {
        return fail(ErrorCode::internal,
                    "columns of a result do not fit {} iterations and {} families",
                    shape.iterations, shape.families);
    }
    if (!ascends_within(data.ranks.virtual_rank, data.world_size) || !names_a_class(data)) {
        return fail(ErrorCode::internal,
                    "virtual ranks of a result do not ascend within 0 to {} or name no class",
                    data.world_size - 1);
    }
    if (!timeline_is_sound(data)) {
        return fail(ErrorCode::internal,
                    "the timeline of a result is not in rank order or names what does not exist");
    }
    return {};
}

void check_references(const ResultData& data) {
    if (!names_a_class(data)) {
        reject("'/results/ranks/rank_class' names a class that does not exist");
    }
    if (std::ranges::any_of(data.ranks.end_ps, [](std::int64_t end) { return end < 0; })) {
        reject("'/results/ranks/end_ps' holds a negative time");
    }
    if (std::ranges::any_of(data.iterations, [](const IterationRow& row) {
            return row.start_ps < 0 || row.end_ps < row.start_ps;
        })) {
        reject("'/results/iterations' has an iteration that ends before it starts");
    }
}

std::size_t packed_width(const RankTableShape& shape) {
    return fixed_fields + shape.iterations + 2 * shape.families;
}

std::vector<std::int64_t> pack(const RankColumns& ranks, const RankTableShape& shape) {
    const auto n = ranks.virtual_rank.size();
    std::vector<std::int64_t> rows;
    rows.reserve(n * packed_width(shape));
    for (std::size_t i = 0; i < n; ++i) {
        rows.insert(rows.end(), {ranks.virtual_rank[i], ranks.busy_ps[i], ranks.rank_class[i],
                                 ranks.stage[i], ranks.peak_memory_bytes[i]});
        for (std::size_t iteration = 0; iteration < shape.iterations; ++iteration) {
            rows.push_back(ranks.end_ps[iteration * n + i]);
        }
        const auto families = static_cast<std::ptrdiff_t>(shape.families);
        const auto start = static_cast<std::ptrdiff_t>(i) * families;
        const auto communication = ranks.communication_ps.begin() + start;
        const auto skew = ranks.skew_ps.begin() + start;
        rows.insert(rows.end(), communication, communication + families);
        rows.insert(rows.end(), skew, skew + families);
    }
    return rows;
}

Expected<RankColumns> unpack(const std::vector<std::int64_t>& rows, const RankTableShape& shape,
                             RowBlock block) {
    const auto width = packed_width(shape);
    auto ranks = empty_columns(shape, block);
    for (std::size_t at = 0; at < rows.size(); at += width) {
        const auto i = static_cast<std::size_t>(rows[at]) - block.first;
        if (ranks.virtual_rank[i] >= 0) {
            return fail(ErrorCode::internal, "virtual rank {} of a result is held twice", rows[at]);
        }
        unpack_row(&rows[at], shape, i, ranks);
    }
    const auto gap = std::find(ranks.virtual_rank.begin(), ranks.virtual_rank.end(), -1);
    if (gap != ranks.virtual_rank.end()) {
        return fail(ErrorCode::internal, "virtual rank {} of a result is held by no process",
                    block.first + static_cast<std::size_t>(gap - ranks.virtual_rank.begin()));
    }
    return ranks;
}

std::vector<std::int64_t> pack(const std::vector<TimelineOp>& timeline,
                               const std::vector<std::int64_t>& rows) {
    std::vector<std::int64_t> packed;
    packed.reserve(timeline.size() * packed_op_width);
    for (std::size_t i = 0; i < timeline.size(); ++i) {
        const auto& op = timeline[i];
        packed.insert(
            packed.end(),
            {rows[i], op.virtual_rank, op.op, op.start_ps, op.end_ps, op.iteration, op.name,
             op.stream, static_cast<std::int64_t>(op.phase), op.micro_batch, op.layer});
    }
    return packed;
}

std::vector<TimelineOp> unpack(const std::vector<std::int64_t>& packed, RowBlock block) {
    std::vector<TimelineOp> timeline(block.count);
    for (std::size_t at = 0; at < packed.size(); at += packed_op_width) {
        const std::int64_t* row = &packed[at];
        timeline[static_cast<std::size_t>(row[0]) - block.first] = {
            row[1],
            row[2],
            row[3],
            row[4],
            static_cast<std::int32_t>(row[5]),
            static_cast<std::int32_t>(row[6]),
            static_cast<std::uint8_t>(row[7]),
            static_cast<graph::Phase>(row[8]),
            static_cast<std::int16_t>(row[9]),
            static_cast<std::int16_t>(row[10])};
    }
    return timeline;
}

}  // namespace prismllm::store
