// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// ctest label: mpi. From a proved graph to the tables of a result, on several processes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/deck/deck.hpp"
#include "prismllm/emulation/run.hpp"
#include "prismllm/emulation/slice.hpp"

namespace prismllm::emulation {
namespace {

using comm::Communicator;
using comm::Reduction;
using store::ResultData;

/// 16 ranks as TP2 x DP2 x PP4 on two nodes, with jitter so that no two ranks are alike.
deck::Deck small_deck() {
    const std::string text = R"(
schema_version = 1
title = "small"
include = ["inputs/clusters/dgx_a100_80gb.toml"]
[model]
name = "small"
layers = 8
hidden_size = 1024
attention_heads = 16
vocab_size = 32000
[parallel]
world_size = 16
tensor_parallel = 2
pipeline_parallel = 4
zero_stage = 1
[training]
global_batch_size = 16
sequence_length = 512
[emulation]
iterations = 3
jitter = 0.05
timeline_ranks = [2, 13]
)";
    auto deck = deck::parse(text, "small.toml", PRISMLLM_SOURCE_DIR, {});
    EXPECT_TRUE(deck.has_value()) << (deck ? "" : deck.error().message);
    return std::move(*deck);
}

class EmulatedJob : public testing::Test {
protected:
    EmulatedJob() {
        setenv("PRISMLLM_BIND", "none", 1);  // tests of pinning follow in this process
        graph_ = slice_and_prove(deck_.job).value();
        auto emulated =
            emulate(world_, graph_, deck_.job.emulation, {}, nullptr, [] { return false; });
        EXPECT_TRUE(emulated.has_value()) << (emulated ? "" : emulated.error().message);
        data_ = std::move(emulated->data);
    }

    [[nodiscard]] std::int64_t sum(std::int64_t mine) const {
        return world_.reduce_all(mine, Reduction::sum);
    }
    /// Sum over all ranks of the job of a column of `width` values a rank, in one stage.
    [[nodiscard]] std::int64_t stage_sum(const std::vector<std::int64_t>& column, std::size_t width,
                                         std::int32_t stage, std::size_t value) const {
        std::int64_t mine = 0;
        for (std::size_t i = 0; i < data_.ranks.stage.size(); ++i) {
            mine += data_.ranks.stage[i] == stage ? column[i * width + value] / iterations() : 0;
        }
        return sum(mine);
    }
    [[nodiscard]] std::int64_t iterations() const {
        return static_cast<std::int64_t>(data_.iterations.size());
    }

    const Communicator world_ = Communicator::world();
    const deck::Deck deck_ = small_deck();
    graph::ExecutionGraph graph_;
    ResultData data_;
};

TEST_F(EmulatedJob, EveryRankIsOnOneProcess) {
    std::vector<std::int64_t> holders(16);
    for (const std::int64_t rank : data_.ranks.virtual_rank) {
        ++holders[static_cast<std::size_t>(rank)];
    }

    world_.reduce_all(holders, Reduction::sum);

    EXPECT_EQ(holders, std::vector<std::int64_t>(16, 1));
    EXPECT_EQ(data_.ranks.end_ps.size(), 3 * data_.ranks.virtual_rank.size());
}

TEST_F(EmulatedJob, AnIterationEndsWithItsLastRankOnWhateverProcess) {
    const std::size_t mine = data_.ranks.virtual_rank.size();
    std::int64_t begin = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto first = data_.ranks.end_ps.begin() + static_cast<std::ptrdiff_t>(k * mine);
        const std::int64_t last =
            mine == 0 ? 0 : *std::max_element(first, first + static_cast<std::ptrdiff_t>(mine));

        EXPECT_EQ(data_.iterations[k].start_ps, begin);
        EXPECT_EQ(data_.iterations[k].end_ps, world_.reduce_all(last, Reduction::max));
        begin = data_.iterations[k].end_ps;
    }
    EXPECT_EQ(data_.summary.iteration_time_ps, begin / 3);
}

// Means are taken of exact sums, rounded down.
TEST_F(EmulatedJob, AStageIsTheMeanOfItsRanksOnAllProcesses) {
    const std::size_t families = data_.families.size();
    ASSERT_EQ(data_.stages.size(), 4U);
    for (const store::StageRow& stage : data_.stages) {
        EXPECT_EQ(stage.ranks, 4);
        EXPECT_EQ(stage.busy_ps, stage_sum(data_.ranks.busy_ps, 1, stage.stage, 0) / 4);
        EXPECT_GT(stage.busy_ps, 0);
        for (std::size_t f = 0; f < families; ++f) {
            EXPECT_EQ(stage.communication_ps[f],
                      stage_sum(data_.ranks.communication_ps, families, stage.stage, f) / 4);
            EXPECT_EQ(stage.skew_ps[f],
                      stage_sum(data_.ranks.skew_ps, families, stage.stage, f) / 4);
        }
    }
}

TEST_F(EmulatedJob, BusyCommunicationSkewAndIdleFillTheIteration) {
    for (const store::StageRow& stage : data_.stages) {
        const std::int64_t spent =
            std::accumulate(stage.communication_ps.begin(), stage.communication_ps.end(),
                            stage.busy_ps) +
            std::accumulate(stage.skew_ps.begin(), stage.skew_ps.end(), stage.idle_ps);

        EXPECT_EQ(spent, data_.summary.iteration_time_ps);
        EXPECT_GE(stage.idle_ps, 0);
    }
}

TEST_F(EmulatedJob, TimelinesAreOfTheRanksAskedForEachOnOneProcess) {
    std::int64_t entries = 0;
    for (const store::TimelineOp& op : data_.timeline) {
        EXPECT_TRUE(op.virtual_rank == 2 || op.virtual_rank == 13);
        EXPECT_TRUE(std::count(data_.ranks.virtual_rank.begin(), data_.ranks.virtual_rank.end(),
                               op.virtual_rank));
        EXPECT_LE(op.start_ps, op.end_ps);
        EXPECT_LT(static_cast<std::size_t>(op.name), data_.op_names.size());
        ++entries;
    }
    EXPECT_GT(sum(entries), 0);
}

/// What all processes must agree on, as text.
std::string shared_part(const ResultData& data) {
    std::string text = fmt::format("{} {} {:a} {:a}", data.summary.iteration_time_ps,
                                   data.summary.peak_memory_bytes, data.summary.mfu,
                                   data.summary.tokens_per_s_per_gpu);
    for (const store::CoverageRow& row : data.coverage) {
        text += fmt::format("\n{} {} {}", row.name, row.time_ps, row.calls);
    }
    for (const store::FamilyRow& row : data.families) {
        text += fmt::format("\n{} {} {}", row.name, row.groups, row.largest_group);
    }
    for (const store::StageRow& row : data.stages) {
        text += fmt::format("\n{} {} {}", row.stage, row.idle_ps, row.peak_memory_bytes);
    }
    return text;
}

TEST_F(EmulatedJob, AllProcessesDescribeTheSameJob) {
    std::string first = shared_part(data_);
    world_.broadcast(first);

    EXPECT_EQ(shared_part(data_), first);
}

// Coverage counts what the ops cost, whoever waits for whom: kernels of all classes weigh as
// their ranks do.
TEST_F(EmulatedJob, CoverageIsTheCostOfTheOpsOfAnAverageRank) {
    double kernels = 0;
    for (const graph::RankRun& run : graph_.rank_runs) {
        for (const graph::Op& op : graph_.classes[static_cast<std::size_t>(run.rank_class)].ops) {
            if (op.kind == graph::OpKind::kernel) {
                kernels += static_cast<double>(run.count) / 16 *
                           static_cast<double>(graph_.kernel_costs[op.index].duration_ps);
            }
        }
    }
    double covered = 0;
    double pairs = 0;
    for (const store::CoverageRow& row : data_.coverage) {
        covered += row.communication ? 0 : static_cast<double>(row.time_ps);
        pairs += row.name == "send pp" ? row.calls : 0;
    }
    EXPECT_NEAR(covered / kernels, 1, 1e-9);
    // 8 micro-batches cross 3 borders of 4 stages in both directions.
    EXPECT_DOUBLE_EQ(pairs, 2 * 8 * 3 / 4.0);
}

TEST(ShareGraph, GivesEveryProcessTheGraphOfTheFirst) {
    const Communicator world = Communicator::world();
    const graph::ExecutionGraph whole = slice_and_prove(small_deck().job).value();
    Expected<graph::ExecutionGraph> mine = graph::ExecutionGraph{};
    if (world.rank() == 0) {
        mine = whole;
    }

    const auto shared = share_graph(world, std::move(mine));

    ASSERT_TRUE(shared.has_value());
    EXPECT_TRUE(*shared == whole);
}

TEST(ShareGraph, GivesEveryProcessTheErrorOfTheFirst) {
    const Communicator world = Communicator::world();
    Expected<graph::ExecutionGraph> mine = graph::ExecutionGraph{};
    if (world.rank() == 0) {
        mine = tl::unexpected{Error{ErrorCode::bad_deck, "no such job"}};
    }

    const auto shared = share_graph(world, std::move(mine));

    ASSERT_FALSE(shared.has_value());
    EXPECT_EQ(shared.error().code, ErrorCode::bad_deck);
    EXPECT_EQ(shared.error().message, "no such job");
}

}  // namespace
}  // namespace prismllm::emulation
