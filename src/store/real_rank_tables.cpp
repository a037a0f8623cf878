// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "real_rank_tables.hpp"

#include <algorithm>

namespace prismllm::store {
namespace {

// In /summary; absent where no rank was executed.
constexpr const char* count_attribute = "real_ranks";

}  // namespace

void write_real_ranks(FileWriter& file, GroupWriter& summary, const ResultData& data) {
    if (data.real_ranks.empty()) {
        return;
    }
    const auto& rows = data.real_ranks;
    summary.attribute(count_attribute, static_cast<std::int64_t>(rows.size()));
    std::vector<std::int64_t> offsets{0}, bytes;
    for (const RealRankRow& row : rows) {
        bytes.insert(bytes.end(), row.allocated_bytes.begin(), row.allocated_bytes.end());
        offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    auto group = file.group("results/real_ranks");
    group.dimension("real_rank", rows.size());
    group.dimension("real_rank_end", offsets.size());
    group.dimension("op", bytes.size());
    group.dimension("loss_of", data.losses.size());
    group.column<std::int64_t>({"virtual_rank", "1", "number of the rank in the job"},
                               {"real_rank"},
                               pick<std::int64_t>(rows, [](auto& r) { return r.virtual_rank; }));
    group.column<std::int64_t>(
        {"peak_allocated_bytes", "byte", "highest sum of live tensors"}, {"real_rank"},
        pick<std::int64_t>(rows, [](auto& r) { return r.peak_allocated_bytes; }));
    group.column<std::int64_t>({"op_offsets", "1", "rank i has the ops from offset i to i + 1"},
                               {"real_rank_end"}, offsets);
    group.column<std::int64_t>(
        {"allocated_bytes", "byte", "live tensors behind each op, last iteration"}, {"op"}, bytes);
    group.column<double>({"loss", "1", "mean a token in nats, per iteration; none: unknown"},
                         {"loss_of"}, data.losses);
}

void read_real_ranks(const FileReader& file, const GroupReader& summary, ResultData& data) {
    if (!summary.has_attribute(count_attribute)) {
        return;
    }
    const auto group = file.group("/results/real_ranks");
    const auto count = group.size_of("real_rank");
    const auto ops = group.size_of("op");
    const auto numbers = group.column<std::int64_t>("virtual_rank", {count});
    const auto peaks = group.column<std::int64_t>("peak_allocated_bytes", {count});
    const auto offsets = group.offsets("op_offsets", count, ops);
    const auto bytes = group.column<std::int64_t>("allocated_bytes", {ops});
    for (std::size_t i = 0; i < count; ++i) {
        if (numbers[i] < 0 || numbers[i] >= data.world_size) {
            reject("dataset '{}' names rank {} (the job has {})", group.where("virtual_rank"),
                   numbers[i], data.world_size);
        }
        if (peaks[i] < 0 || std::any_of(bytes.begin() + offsets[i], bytes.begin() + offsets[i + 1],
                                        [](std::int64_t held) { return held < 0; })) {
            reject("dataset '{}' or '{}' holds a negative number",
                   group.where("peak_allocated_bytes"), group.where("allocated_bytes"));
        }
        data.real_ranks.push_back(
            {numbers[i], peaks[i], {bytes.begin() + offsets[i], bytes.begin() + offsets[i + 1]}});
    }
    data.losses = group.column<double>("loss", {group.size_of("loss_of")});
}

}  // namespace prismllm::store
