// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Closed forms of pipeline schedules with equal stages and free communication
/// (Narayanan et al., SC21, section 2.2).
#include <algorithm>

#include "run_engine.hpp"

namespace {

using namespace prismllm;
using prismllm::samples::make_pipeline_job;
using prismllm::samples::PipelineJob;
using prismllm::samples::replay;

constexpr std::int64_t forward = 1'000'000, backward = 2'000'000;

PipelineJob free_pipeline(int stages, int micro_batches, int chunks = 1) {
    PipelineJob job;
    job.pipeline = stages;
    job.micro_batches = micro_batches;
    job.chunks = chunks;
    job.kernel_ps = forward / chunks;
    job.backward_kernel_ps = backward / chunks;
    job.tensor_calls = job.data_calls = false;
    return job;
}

std::int64_t latest(const engine::LaneResults& results) {
    return *std::max_element(results.end_ps.begin(), results.end_ps.end());
}

class OneFOneB : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(OneFOneB, LosesStagesMinusOneMicroBatches) {
    const auto [p, m] = GetParam();

    const auto results = replay(make_pipeline_job(free_pipeline(p, m)));

    // m micro-batches of work, and p - 1 of waiting: bubble (p-1)/(m+p-1).
    EXPECT_EQ(latest(results), (m + p - 1) * (forward + backward));
    for (const auto& account : results.accounts) {
        EXPECT_EQ(account.busy_ps, m * (forward + backward));
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, OneFOneB,
                         ::testing::Values(std::pair{1, 3}, std::pair{2, 2}, std::pair{4, 4},
                                           std::pair{4, 16}, std::pair{8, 64}, std::pair{16, 32}));

// Case 7: fewer micro-batches than stages must end.
TEST(OneFOneBCase7, EightStagesAndOneMicroBatchTakeEightForwardsAndEightBackwards) {
    const auto results = replay(make_pipeline_job(free_pipeline(8, 1)));

    EXPECT_EQ(latest(results), 8 * forward + 8 * backward);
    // Each stage works for one of eight: idle share 7/8.
    for (const auto& account : results.accounts) {
        EXPECT_EQ(account.busy_ps * 8, latest(results));
    }
}

class Interleaved : public ::testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(Interleaved, DividesTheBubbleByTheNumberOfChunks) {
    const auto [p, m, v] = GetParam();

    const auto results = replay(make_pipeline_job(free_pipeline(p, m, v)));

    EXPECT_EQ(latest(results), m * (forward + backward) + (p - 1) * (forward + backward) / v);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Interleaved,
                         ::testing::Values(std::tuple{2, 4, 2}, std::tuple{4, 8, 2},
                                           std::tuple{4, 16, 4}, std::tuple{8, 16, 2}));

TEST(PipelineJob, SlowRankDelaysTheWholeReplicaThroughTheGradients) {
    PipelineJob job = free_pipeline(2, 4);
    job.data = 2;
    engine::Options options;
    options.slow_ranks = {{0, 2.0}};

    const auto results = replay(make_pipeline_job(job), options);

    // No data-parallel calls: replica 1 (ranks 1 and 3) does not notice. Rank 0 does twice the
    // work in each of its 4 forwards and backwards and is never waited for by anyone faster.
    EXPECT_EQ(results.end_ps[1], 5 * (forward + backward));
    EXPECT_EQ(results.end_ps[3], 5 * (forward + backward) - backward);
    EXPECT_GT(results.end_ps[0], 4 * 2 * (forward + backward));
    EXPECT_EQ(results.accounts[0].busy_ps, 4 * 2 * (forward + backward));
}

}  // namespace
