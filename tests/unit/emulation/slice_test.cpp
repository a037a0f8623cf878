// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// From a deck to a replay in one process: what only shows when the rooms work together.
#include "prismllm/emulation/slice.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/deck/deck.hpp"
#include "prismllm/engine/engine.hpp"

namespace prismllm::emulation {
namespace {

deck::Deck small_deck(const std::vector<std::string>& overrides) {
    static const std::string text = R"(
schema_version = 1
title = "small"
include = ["inputs/clusters/dgx_a100_80gb.toml"]
[model]
name = "small"
layers = 8
hidden_size = 1024
ffn_hidden_size = 4096
attention_heads = 16
vocab_size = 32000
[parallel]
world_size = 16
tensor_parallel = 2
pipeline_parallel = 4
[training]
global_batch_size = 16
sequence_length = 512
)";
    auto deck = deck::parse(text, "small.toml", PRISMLLM_SOURCE_DIR, overrides);
    EXPECT_TRUE(deck.has_value()) << (deck ? "" : deck.error().message);
    return std::move(*deck);
}

struct Replay {
    std::vector<std::int64_t> end_ps;  ///< [rank]
    engine::LaneResults results;
    std::int64_t iteration_ps = 0;
};

Replay replay(const graph::ExecutionGraph& graph, engine::Options options = {}) {
    engine::SoloExchange exchange;
    engine::Engine engine{graph,
                          std::vector<std::int32_t>(static_cast<std::size_t>(graph.world_size), 0),
                          exchange, std::move(options)};
    const Status ok = engine.run_iteration();
    EXPECT_TRUE(ok.has_value()) << (ok ? "" : ok.error().message);
    Replay r{engine.results().end_ps, engine.results(), 0};
    r.iteration_ps = *std::max_element(r.end_ps.begin(), r.end_ps.end());
    return r;
}

TEST(SliceJob, OneForwardOneBackwardIsOneClassAStage) {
    const auto graph = slice_and_prove(small_deck({}).job);

    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    EXPECT_EQ(graph->classes.size(), 4U);
    EXPECT_EQ(graph->world_size, 16);
    EXPECT_GT(replay(*graph).iteration_ps, 0);
}

TEST(SliceJob, GPipeStitchesAndRuns) {
    const auto graph = slice_and_prove(small_deck({"parallel.pipeline_schedule=\"gpipe\""}).job);

    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    EXPECT_GT(replay(*graph).iteration_ps, 0);
}

TEST(SliceJob, ASlowRankSlowsTheWholeJobButNotMoreThanItself) {
    const auto graph = slice_and_prove(small_deck({}).job);
    ASSERT_TRUE(graph.has_value());
    engine::Options slow;
    slow.slow_ranks = {{5, 2.0}};

    const auto even = replay(*graph).iteration_ps;
    const auto uneven = replay(*graph, slow).iteration_ps;

    EXPECT_GT(uneven, even);
    EXPECT_LT(uneven, 2 * even);
}

TEST(SliceJob, EveryRankOfTheComputeStreamIsAccountedFor) {
    const auto graph = slice_and_prove(small_deck({"parallel.zero_stage=1"}).job);
    ASSERT_TRUE(graph.has_value());

    const Replay r = replay(*graph);

    for (std::size_t i = 0; i < r.results.ranks.size(); ++i) {
        std::int64_t spent = r.results.accounts[i].busy_ps;
        for (const std::int64_t t : r.results.accounts[i].communication_ps) {
            spent += t;
        }
        for (const std::int64_t t : r.results.accounts[i].skew_ps) {
            spent += t;
        }
        EXPECT_EQ(spent, r.end_ps[i]) << "rank " << r.results.ranks[i];
    }
}

TEST(SliceJob, MoreMicroBatchesShrinkTheBubbleAsTheFormulaSays) {
    // Without communication cost the bubble share is (p-1)/(m+p-1); with it, the ratio of two
    // iterations that differ in m only still follows (m + p - 1).
    const auto few = slice_and_prove(small_deck({"training.global_batch_size=8"}).job);
    const auto many = slice_and_prove(small_deck({"training.global_batch_size=64"}).job);
    ASSERT_TRUE(few.has_value());
    ASSERT_TRUE(many.has_value());

    const double ratio = static_cast<double>(replay(*many).iteration_ps) /
                         static_cast<double>(replay(*few).iteration_ps);

    EXPECT_NEAR(ratio, (32.0 + 3) / (4.0 + 3), 0.15 * (32.0 + 3) / (4.0 + 3));
}

TEST(SliceJob, ContradictingSettingsAreRefusedWithTheirKeys) {
    const auto graph = slice_and_prove(small_deck({"parallel.pipeline_parallel=3"}).job);

    ASSERT_FALSE(graph.has_value());
    EXPECT_EQ(graph.error().code, ErrorCode::bad_deck);
    EXPECT_NE(graph.error().message.find("pipeline_parallel"), std::string::npos);
}

}  // namespace
}  // namespace prismllm::emulation
