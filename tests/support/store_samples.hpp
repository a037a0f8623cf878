// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A graph and a result in which every field has a value of its own, so that a column that is
/// mixed up or left out shows; and a folder to write them to.
#pragma once

#include <filesystem>
#include <string>

#include <unistd.h>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/store/graph_file.hpp"
#include "prismllm/store/result_file.hpp"

namespace prismllm::store::samples {

/// A folder of this process alone, removed at the end.
class Folder {
public:
    explicit Folder(const std::string& name)
        : path_{std::filesystem::temp_directory_path() /
                ("prismllm-" + name + "-" + std::to_string(::getpid()))} {
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::filesystem::path file(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// Whether something that was not finished lies beside the file.
[[nodiscard]] inline bool has_unfinished_file(const std::filesystem::path& path) {
    const std::string start = path.filename().string() + ".";
    for (const auto& entry : std::filesystem::directory_iterator{path.parent_path()}) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(start) && name.ends_with(".tmp")) {
            return true;
        }
    }
    return false;
}

[[nodiscard]] inline Provenance provenance() {
    Provenance p;
    p.deck_text = "[model]\nname = \"sample\"\n";
    p.deck_sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    p.command_line = "prismllm run sample.toml";
    p.software_version = "0.1.0";
    p.date = "2026-01-02T03:04:05Z";
    p.machine = "node17";
    p.extra = {{"hdf5", "1.10.8"}, {"mpi", ""}};
    p.run = {3, 0.25, 0.5, 1.75, 96.5, {40, 3, 5000, 2000, 90000, 12, 700}};
    return p;
}

/// Two stages of two ranks each: tensor-parallel pairs (0,1) and (2,3), pipeline pairs (0,2) and
/// (1,3), and an irregular family with the one group {3, 0}. `ops_per_class` kernels each.
[[nodiscard]] inline graph::ExecutionGraph graph(std::int64_t world_size = 4,
                                                 std::size_t ops_per_class = 3) {
    using namespace prismllm::graph;
    const std::int64_t half = world_size / 2;
    ExecutionGraph g;
    g.facts = {"two stages",
               "H100",
               989e12,
               80'000'000'000,
               1.5e15,
               2e15,
               "palm",
               8192,
               7000,
               2,
               graph::JobLayout{2, 3, 4, 5, 6, 7, 8, 1, 9, 10, 11, 12, true}};
    g.world_size = world_size;
    g.ranks_per_node = 2;
    g.eager_bytes = 4096;
    g.split_classes_by_position = true;
    g.streams = {"compute", "tensor_comm"};
    g.kernels = {{KernelKind::gemm, DType::bf16, {16, 32, 64, 1, 2}, 65536, 7168},
                 {KernelKind::adam, DType::fp32, {100}, 1200, 1600}};
    g.kernel_costs = {{11'000, graph::Provenance::calibrated}, {7, graph::Provenance::assumed}};
    g.kernel_spread = {0.125, 0.5};
    g.families.resize(3);
    g.families[0] = {"tp", FamilyKind::tensor, 0, {{2, 1}}, {{half, 2}}, {}, {}};
    g.families[1] = {"pp", FamilyKind::pipeline, 0, {{2, half}}, {{half, 1}}, {}, {}};
    g.families[2] = {"odd", FamilyKind::other, 0, {}, {}, {0, 2}, {3, 0}};
    g.communications = {{CollectiveKind::all_reduce, DType::bf16, ReduceOp::sum, 0, 512, -1, 0, -1},
                        {CollectiveKind::send, DType::bf16, ReduceOp::none, 1, 1024, -1, 1, -1},
                        {CollectiveKind::recv, DType::bf16, ReduceOp::none, 1, 1024, -1, -1, -1},
                        {CollectiveKind::all_to_all, DType::fp32, ReduceOp::none, 0, 5, -1, 0, 0}};
    g.splits = {{{2, 3}, {3, 2}}};
    const auto cost = [](std::int64_t ps) { return Cost{ps, graph::Provenance::modelled}; };
    g.communication_costs = {{cost(100), cost(101)},
                             {cost(200), cost(201)},
                             {cost(300), cost(301)},
                             {cost(400), cost(401)}};
    const auto groups = static_cast<std::size_t>(half);
    g.group_shape = {
        std::vector<std::uint16_t>(groups, 0), std::vector<std::uint16_t>(groups, 1), {0}};
    g.group_shape[0].back() = 1;
    g.tensors = {{"wei\xc3\x9f", TensorRole::weight, 4096}, {"", TensorRole::activation, 1}};
    const auto op = [](OpKind kind, std::uint8_t stream, Phase phase, std::int16_t micro_batch,
                       std::int16_t layer, std::uint32_t index, std::uint32_t instance) {
        return Op{kind, stream, phase, 0, micro_batch, layer, index, instance};
    };
    g.classes = {{"stage 0", 0, {}}, {"stage 1", 1, {}}};
    for (std::uint32_t c = 0; c < 2; ++c) {
        auto& ops = g.classes[c].ops;
        ops.push_back(op(OpKind::allocate, 0, Phase::other, -1, -1, 1, 0));
        for (std::size_t i = 0; i < ops_per_class; ++i) {
            ops.push_back(op(OpKind::kernel, 0, Phase::forward, static_cast<std::int16_t>(i % 64),
                             static_cast<std::int16_t>(i % 126), c, 0));
        }
        ops.push_back(op(OpKind::record, 0, Phase::forward, 0, 1, 0, 0));
        ops.push_back(op(OpKind::wait, 1, Phase::backward, 0, 1, 0, 0));
        ops.push_back(op(OpKind::communicate, 1, Phase::gradients, 0, -1, c + 1, 0));
        ops.push_back(op(OpKind::release, 0, Phase::optimizer, -1, -1, 1, 0));
    }
    g.rank_runs = {{0, half, 0}, {half, half, 1}};
    return g;
}

/// Everything of a result but ranks and timeline.
[[nodiscard]] inline ResultData result_tables(std::int64_t world_size, std::size_t iterations) {
    ResultData d;
    d.facts = graph().facts;
    d.world_size = world_size;
    d.ranks_per_node = 8;
    d.summary = {6'250'000'000'000, 401.5, 430.25, 0.435, 123'456'789, 65'000'000'000, 42};
    d.published = {"a paper", 6.5, std::nullopt, 0.43, std::nullopt, "palm", "table 4"};
    d.warnings = {"3 kernels are assumed (no fit for fp8)."};
    d.values = {{"measured_share", "1", 0.125}, {"slicing", "s", 0.5}};
    d.families = {{"tp", graph::FamilyKind::tensor, world_size / 8, 8},
                  {"dp", graph::FamilyKind::data, 8, world_size / 8}};
    d.classes = {{"stage 0", 0, world_size / 2, 100}, {"stage 1", 1, world_size / 2, 90}};
    for (std::size_t i = 0; i < iterations; ++i) {
        const auto start = static_cast<std::int64_t>(i) * 1000;
        d.iterations.push_back({start, start + 999});
    }
    d.stages = {{0, world_size / 2, 700, {10, 20}, {30, 40}, 50, 1024},
                {1, world_size / 2, 701, {11, 21}, {31, 41}, 51, 2048}};
    d.coverage = {{"gemm", graph::Provenance::calibrated, false, 500, 12.5},
                  {"all_reduce", graph::Provenance::modelled, true, 60, 4}};
    d.real_ranks = {{1, 900, {100, 900, 50}}, {2, 800, {}}};
    d.losses = {5.5, 5.25};
    d.accounts = false;
    d.streams = {"compute", "tensor_comm"};
    d.op_names = {"gemm", "all_reduce tp"};
    return d;
}

/// Append what virtual rank `rank` has: values differ between ranks, iterations and families.
inline void add_rank(ResultData& d, std::int64_t rank) {
    d.ranks.virtual_rank.push_back(rank);
    d.ranks.busy_ps.push_back(1'000'000 + rank);
    for (std::size_t f = 0; f < d.families.size(); ++f) {
        const auto family = static_cast<std::int64_t>(f);
        d.ranks.communication_ps.push_back(10 * rank + family);
        d.ranks.skew_ps.push_back(100 * rank + family);
    }
    const bool second = rank >= d.world_size / 2;
    d.ranks.rank_class.push_back(second ? 1 : 0);
    d.ranks.stage.push_back(second ? 1 : 0);
    d.ranks.peak_memory_bytes.push_back(65'000'000'000 - rank);
}

/// end_ps of all ranks added so far: iteration * 1000 + 500 + rank.
inline void fill_ends(ResultData& d) {
    for (std::size_t i = 0; i < d.iterations.size(); ++i) {
        for (const auto rank : d.ranks.virtual_rank) {
            d.ranks.end_ps.push_back(static_cast<std::int64_t>(i) * 1000 + 500 + rank);
        }
    }
}

inline void add_timeline(ResultData& d, std::int64_t rank, std::int64_t ops) {
    for (std::int64_t i = 0; i < ops; ++i) {
        d.timeline.push_back({rank, i, 10 * i + rank, 10 * i + rank + 7, 0,
                              static_cast<std::int32_t>(i % 2), static_cast<std::uint8_t>(i % 2),
                              graph::Phase::backward, static_cast<std::int16_t>(i % 16),
                              static_cast<std::int16_t>(i % 5 - 1)});
    }
}

/// The whole result, as one process holds it: timelines of ranks 1 (7 ops) and 5 (9 ops).
[[nodiscard]] inline ResultData result(std::int64_t world_size = 16, std::size_t iterations = 2) {
    auto d = result_tables(world_size, iterations);
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        add_rank(d, rank);
    }
    fill_ends(d);
    add_timeline(d, 1, 7);
    add_timeline(d, 5, 9);
    return d;
}

}  // namespace prismllm::store::samples
