// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "run_engine.hpp"

namespace {

using namespace prismllm;
using prismllm::samples::GraphBuilder;
using prismllm::samples::replay;

std::int64_t sum_of(const engine::LaneAccount& a) {
    return a.busy_ps + a.other_ps +
           std::accumulate(a.communication_ps.begin(), a.communication_ps.end(), std::int64_t{0}) +
           std::accumulate(a.skew_ps.begin(), a.skew_ps.end(), std::int64_t{0});
}

/// Two ranks (kernels of 100 and 300), then an all-reduce of 50 on a side stream while the
/// compute stream works for `hidden`, then waits.
engine::LaneResults overlapped_reduction(std::int64_t hidden) {
    GraphBuilder builder{2, {"compute", "comm"}};
    const auto dp = builder.family("dp", {{2, 1}}, {});
    const auto reduce = builder.collective(dp, {50});
    for (const std::int64_t t : {100, 300}) {
        auto ops = builder.rank_class(1, "r");
        ops.kernel(0, builder.kernel(t));
        ops.order(0, 1);
        ops.call(1, reduce);
        ops.kernel(0, builder.kernel(hidden));
        ops.order(1, 0);
    }
    return replay(builder.graph());
}

TEST(Accounts, SplitAWaitIntoTheCallsCostAndSkew) {
    const auto results = overlapped_reduction(20);

    // The call ends at 350. Rank 0 waits from 120: 230 = 50 communication + 180 skew. Rank 1
    // waits from 320: 30, all of it communication.
    EXPECT_EQ(results.end_ps, (std::vector<std::int64_t>{350, 350}));
    EXPECT_EQ(results.accounts[0].busy_ps, 120);
    EXPECT_EQ(results.accounts[0].communication_ps[0], 50);
    EXPECT_EQ(results.accounts[0].skew_ps[0], 180);
    EXPECT_EQ(results.accounts[1].busy_ps, 320);
    EXPECT_EQ(results.accounts[1].communication_ps[0], 30);
    EXPECT_EQ(results.accounts[1].skew_ps[0], 0);
}

TEST(Accounts, BookNothingForCommunicationHiddenBehindWork) {
    const auto results = overlapped_reduction(1000);

    for (const auto& account : results.accounts) {
        EXPECT_EQ(account.communication_ps[0], 0);
        EXPECT_EQ(account.skew_ps[0], 0);
    }
    EXPECT_EQ(results.accounts[0].busy_ps, 1100);
}

TEST(Accounts, CallsOnTheComputeStreamAreBookedToo) {
    GraphBuilder builder{2, {"compute"}};
    const auto dp = builder.family("dp", {{2, 1}}, {});
    const auto reduce = builder.collective(dp, {50});
    for (const std::int64_t t : {100, 300}) {
        auto ops = builder.rank_class(1, "r");
        ops.kernel(0, builder.kernel(t));
        ops.call(0, reduce);
    }

    const auto results = replay(builder.graph());

    EXPECT_EQ(results.accounts[0].communication_ps[0], 50);
    EXPECT_EQ(results.accounts[0].skew_ps[0], 200);
    EXPECT_EQ(results.accounts[1].communication_ps[0], 50);
    EXPECT_EQ(results.accounts[1].skew_ps[0], 0);
    EXPECT_EQ(results.accounts[0].busy_ps, 100);
}

TEST(Accounts, WaitsForKernelsOfOtherStreamsAreOther) {
    GraphBuilder builder{1, {"compute", "copy"}};
    auto ops = builder.rank_class(1, "one");
    ops.kernel(1, builder.kernel(70));
    ops.kernel(0, builder.kernel(20));
    ops.order(1, 0);

    const auto results = replay(builder.graph());

    EXPECT_EQ(results.accounts[0].busy_ps, 20);
    EXPECT_EQ(results.accounts[0].other_ps, 50);
}

TEST(Accounts, FollowTheEventThroughAStreamInBetween) {
    // comm -> relay -> compute: the wait is still the all-reduce's.
    GraphBuilder builder{1, {"compute", "comm", "relay"}};
    const auto dp = builder.family("dp", {{1, 1}}, {});
    const auto reduce = builder.collective(dp, {50});
    auto ops = builder.rank_class(1, "one");
    ops.call(1, reduce);
    ops.order(1, 2);
    ops.order(2, 0);

    const auto results = replay(builder.graph());

    EXPECT_EQ(results.accounts[0].communication_ps[0], 50);
}

TEST(Accounts, PartitionTheComputeStreamOfAWholeJob) {
    samples::PipelineJob job;
    job.tensor = 2;
    job.data = 3;
    job.pipeline = 4;
    job.micro_batches = 5;
    job.layers = 2;
    job.forward_blocks = job.backward_blocks = 2;
    job.kernels = 2;
    job.kernel_ps = 1'234'567;
    job.backward_kernel_ps = 2'345'678;
    job.tensor_cost_ps = 345'678;
    job.data_cost_ps = 4'567'890;
    job.pipeline_cost_ps = 567'890;
    const auto graph = make_pipeline_job(job);
    engine::Options options;
    options.jitter = 0.1;
    options.slow_ranks = {{5, 1.5}, {17, 1.01}};

    const auto results = replay(graph, options, 2);

    // The last op of every rank is a kernel on the compute stream, so nothing is idle.
    const std::size_t lanes = results.ranks.size();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        EXPECT_EQ(sum_of(results.accounts[lane]), results.end_ps[lanes + lane]) << lane;
    }
}

TEST(Accounts, AreEmptyAndChangeNothingWhenOff) {
    samples::PipelineJob job;
    job.pipeline = 3;
    job.micro_batches = 4;
    job.pipeline_cost_ps = 100;
    const auto graph = make_pipeline_job(job);
    engine::Options off;
    off.account = false;

    const auto without = replay(graph, off);
    const auto with = replay(graph);

    EXPECT_TRUE(without.accounts.empty());
    EXPECT_EQ(without.end_ps, with.end_ps);
}

}  // namespace
