// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/measure.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/deck/deck.hpp"
#include "prismllm/emulation/slice.hpp"
#include "prismllm/slicing/costs.hpp"

namespace prismllm::emulation {
namespace {

target::Job tiny_job(const std::vector<std::string>& overrides = {}) {
    return deck::load(PRISMLLM_SOURCE_DIR "/inputs/decks/tiny/gpt.toml", overrides).value().job;
}

std::vector<std::byte> text() {
    return std::vector<std::byte>(256, std::byte{'a'});
}

bool go_on() {
    return false;
}

const std::vector<std::string> four_ranks{"parallel.world_size=4", "parallel.tensor_parallel=2",
                                          "parallel.pipeline_parallel=2"};

TEST(Measure, EveryKernelOfTheJobGetsTheMedianOfItsDurations) {
    const target::Job job = tiny_job(four_ranks);
    graph::ExecutionGraph graph = slice_job(job).value();
    const auto calls = graph.communication_costs;
    const auto bytes = text();

    const auto measured = measure_kernels(graph, {job, bytes}, 3, go_on);

    ASSERT_TRUE(measured.has_value()) << measured.error().message;
    EXPECT_EQ(measured->ranks, 2);
    EXPECT_EQ(measured->kernels, static_cast<std::int64_t>(graph.kernels.size()));
    std::int64_t launches = 0;
    for (const graph::RankClass& rank_class : graph.classes) {
        for (const graph::Op& op : rank_class.ops) {
            launches += op.kind == graph::OpKind::kernel ? 1 : 0;
        }
    }
    EXPECT_EQ(measured->samples, 3 * launches);
    for (const graph::Cost& cost : graph.kernel_costs) {
        EXPECT_EQ(cost.provenance, graph::Provenance::measured);
        EXPECT_GT(cost.duration_ps, 0);
    }
    EXPECT_EQ(graph.kernel_spread.size(), graph.kernels.size());
    EXPECT_EQ(graph.communication_costs, calls);
}

TEST(Measure, OtherCutsTakeTheKernelsTheyShare) {
    const target::Job job = tiny_job(four_ranks);
    graph::ExecutionGraph measured = slice_job(job).value();
    const auto bytes = text();
    ASSERT_TRUE(measure_kernels(measured, {job, bytes}, 1, go_on).has_value());
    graph::ExecutionGraph same = slice_job(job).value();
    graph::ExecutionGraph other = slice_job(tiny_job()).value();

    EXPECT_EQ(slicing::take_measured_costs(same, measured),
              static_cast<std::int64_t>(same.kernels.size()));
    EXPECT_EQ(same.kernel_costs, measured.kernel_costs);
    const std::int64_t shared = slicing::take_measured_costs(other, measured);
    EXPECT_GT(shared, 0);
    EXPECT_LT(shared, static_cast<std::int64_t>(other.kernels.size()));
    EXPECT_EQ(slicing::take_measured_costs(measured, slice_job(job).value()), 0);
}

TEST(Measure, AGraphOfAnotherProgramIsRefused) {
    graph::ExecutionGraph graph = slice_job(tiny_job(four_ranks)).value();
    const target::Job other =
        tiny_job({"parallel.world_size=4", "parallel.tensor_parallel=2",
                  "parallel.pipeline_parallel=2", "parallel.sequence_parallel=true"});
    const auto bytes = text();
    try {
        (void)measure_kernels(graph, {other, bytes}, 1, go_on);
        FAIL() << "the rank was not stopped";
    } catch (const SystemError& error) {
        EXPECT_EQ(error.code(), ErrorCode::job_failed);
        EXPECT_THAT(error.what(), testing::HasSubstr("real rank 0 leaves the job"));
    }
}

TEST(Measure, EndsWhenToldTo) {
    const target::Job job = tiny_job();
    graph::ExecutionGraph graph = slice_job(job).value();
    const auto bytes = text();
    const auto measured = measure_kernels(graph, {job, bytes}, 3, [] { return true; });
    ASSERT_FALSE(measured.has_value());
    EXPECT_EQ(measured.error().code, ErrorCode::interrupted);
}

TEST(Measure, RefusesWhatHasNoArithmetic) {
    target::Job job = tiny_job({"model.positions=alibi"});
    graph::ExecutionGraph graph = slice_job(job).value();
    const auto bytes = text();
    const auto measured = measure_kernels(graph, {job, bytes}, 1, go_on);
    ASSERT_FALSE(measured.has_value());
    EXPECT_EQ(measured.error().code, ErrorCode::bad_deck);
}

}  // namespace
}  // namespace prismllm::emulation
