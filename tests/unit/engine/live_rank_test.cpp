// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A rank whose ops are run as they are issued, beside proxies that know nothing of it; pauses.
#include <algorithm>

#include <gmock/gmock.h>

#include "run_engine.hpp"

namespace {

using namespace prismllm;
using prismllm::samples::all_here;
using prismllm::samples::GraphBuilder;
using prismllm::samples::MemoryExchange;
using prismllm::samples::MemoryHub;
using prismllm::samples::PipelineJob;
using prismllm::samples::replay;
using ::testing::HasSubstr;

constexpr int iterations = 2;

const std::vector<graph::Op>& ops_of(const graph::ExecutionGraph& graph, std::int64_t rank) {
    const std::int32_t number = class_of_ranks(graph)[static_cast<std::size_t>(rank)];
    return graph.classes[static_cast<std::size_t>(number)].ops;
}

/// Issues one op after the other, batches whole, and awaits the stream of every kernel.
Status live_iteration(engine::Engine& engine, const std::vector<graph::Op>& ops) {
    engine.begin_iteration();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (ops[i].kind == graph::OpKind::kernel) {
            const auto free = engine.await_stream(ops[i].stream);
            if (!free) {
                return tl::unexpected{free.error()};
            }
            EXPECT_TRUE(engine.is_free(ops[i].stream));
        }
        const bool in_batch = ops[i].kind == graph::OpKind::communicate && ops[i].instance != 0 &&
                              i + 1 < ops.size() && ops[i + 1].kind == ops[i].kind &&
                              ops[i + 1].instance == ops[i].instance;
        if (!in_batch) {
            engine.issue(i + 1);
        }
    }
    return engine.run_iteration();
}

/// One live rank on a proxy of its own, all others on another one.
engine::LaneResults results_of_live_rank(const graph::ExecutionGraph& graph, std::int64_t rank,
                                         engine::Options options) {
    std::vector<std::int32_t> owner = all_here(graph);
    owner[static_cast<std::size_t>(rank)] = 1;
    MemoryHub hub{2};
    std::thread others{[&, options] {
        MemoryExchange exchange{hub, 0};
        engine::Engine engine{graph, owner, exchange, options};
        for (int i = 0; i < iterations; ++i) {
            const Status status = engine.run_iteration();
            EXPECT_TRUE(status) << (status ? "" : status.error().message);
        }
    }};
    MemoryExchange exchange{hub, 1};
    options.live = true;
    engine::Engine engine{graph, owner, exchange, options};
    for (int i = 0; i < iterations; ++i) {
        const Status status = live_iteration(engine, ops_of(graph, rank));
        EXPECT_TRUE(status) << (status ? "" : status.error().message);
    }
    others.join();
    return engine.results();
}

TEST(LiveRank, IsTheRankThatAProxyReplays) {
    PipelineJob job;
    job.tensor = 2;
    job.data = 2;
    job.pipeline = 3;
    job.chunks = 2;
    job.micro_batches = 6;
    job.layers = 2;
    job.kernels = 2;
    job.kernel_ps = 1'234'567;
    job.tensor_cost_ps = 345'678;
    job.data_cost_ps = 4'567'890;
    job.pipeline_cost_ps = 567'890;
    const graph::ExecutionGraph graph = make_pipeline_job(job);
    engine::Options options;
    options.jitter = 0.05;
    options.slow_ranks = {{4, 1.37}, {11, 0.9}};
    options.pauses = {{4, 1, 777}, {7, 1, 12'345'678}};
    options.timeline_ranks = {0, 4, 7, 11};
    const engine::LaneResults whole = replay(graph, options, iterations);

    for (const std::int64_t rank : options.timeline_ranks) {
        const engine::LaneResults live = results_of_live_rank(graph, rank, options);

        ASSERT_EQ(live.end_ps.size(), 2U);
        const auto at = static_cast<std::size_t>(rank);
        EXPECT_EQ(live.end_ps[0], whole.end_ps[at]);
        EXPECT_EQ(live.end_ps[1], whole.end_ps[12 + at]);
        EXPECT_EQ(live.accounts[0].busy_ps, whole.accounts[at].busy_ps);
        EXPECT_EQ(live.accounts[0].skew_ps, whole.accounts[at].skew_ps);
        std::size_t compared = 0;
        for (const engine::TimelineEntry& entry : whole.timeline) {
            if (entry.rank == rank) {
                ASSERT_LT(compared, live.timeline.size());
                EXPECT_EQ(live.timeline[compared].op, entry.op);
                EXPECT_EQ(live.timeline[compared].start_ps, entry.start_ps);
                EXPECT_EQ(live.timeline[compared].end_ps, entry.end_ps);
                ++compared;
            }
        }
        EXPECT_EQ(compared, live.timeline.size());
    }
}

/// Kernel of 100 on each of two ranks, an all-reduce of 50, a kernel of 10.
graph::ExecutionGraph reduction() {
    GraphBuilder builder{2, {"compute", "comm"}};
    const auto dp = builder.family("dp", {{2, 1}}, {});
    const auto reduce = builder.collective(dp, {50});
    const auto before = builder.kernel(100);
    const auto after = builder.kernel(10);
    auto ops = builder.rank_class(2, "r");
    ops.kernel(0, before);
    ops.order(0, 1);
    ops.call(1, reduce);
    ops.order(1, 0);
    ops.kernel(0, after);
    return builder.graph();
}

TEST(LiveRank, KernelsTakeWhatIsMeasuredBetweenTwoIssues) {
    const graph::ExecutionGraph graph = reduction();
    std::vector<std::int32_t> owner{0, 1};
    MemoryHub hub{2};
    std::thread other{[&] {
        MemoryExchange exchange{hub, 0};
        engine::Engine engine{graph, owner, exchange, {}};
        EXPECT_TRUE(engine.run_iteration());
        EXPECT_EQ(engine.results().end_ps, (std::vector<std::int64_t>{1060}));
    }};
    MemoryExchange exchange{hub, 1};
    std::vector<std::int64_t> measured(ops_of(graph, 1).size());
    engine::Options options;
    options.live = true;
    options.measured_ps = &measured;
    engine::Engine engine{graph, owner, exchange, options};
    engine.begin_iteration();
    EXPECT_EQ(engine.await_stream(0), 0);
    measured[0] = 1000;
    engine.issue(measured.size() - 1);  // all but the last kernel
    EXPECT_EQ(engine.await_stream(0), 1050);
    measured.back() = 7;
    EXPECT_TRUE(engine.run_iteration());
    other.join();

    EXPECT_EQ(engine.results().end_ps, (std::vector<std::int64_t>{1057}));
}

TEST(LiveRank, IsToldWhenItsPeersNeverCome) {
    GraphBuilder builder{2, {"compute"}};
    const auto dp = builder.family("dp", {{2, 1}}, {});
    const auto reduce = builder.collective(dp, {50});
    const auto kernel = builder.kernel(1);
    builder.rank_class(1, "idle").kernel(0, kernel);
    auto ops = builder.rank_class(1, "caller");
    ops.call(0, reduce);
    ops.kernel(0, kernel);
    const graph::ExecutionGraph& graph = builder.graph();
    std::vector<std::int32_t> owner{0, 1};
    MemoryHub hub{2};
    std::thread other{[&] {
        MemoryExchange exchange{hub, 0};
        engine::Engine engine{graph, owner, exchange, {}};
        EXPECT_FALSE(engine.run_iteration());
    }};
    MemoryExchange exchange{hub, 1};
    engine::Options options;
    options.live = true;
    engine::Engine engine{graph, owner, exchange, options};
    engine.begin_iteration();
    engine.issue(1);
    const auto free = engine.await_stream(0);
    other.join();

    ASSERT_FALSE(free);
    EXPECT_EQ(free.error().code, ErrorCode::job_failed);
    EXPECT_THAT(free.error().message, HasSubstr("rank 1, stream 'compute'"));
}

TEST(Pause, DelaysExactlyWhatDependsOnIt) {
    // Four ranks in two groups of two; the first pauses in iteration 1.
    GraphBuilder builder{4, {"compute", "comm"}};
    const auto tp = builder.family("tp", {{2, 1}}, {{2, 2}});
    const auto reduce = builder.collective(tp, {50});
    const auto kernel = builder.kernel(100);
    auto ops = builder.rank_class(4, "r");
    ops.kernel(0, kernel);
    ops.order(0, 1);
    ops.call(1, reduce);
    ops.order(1, 0);
    engine::Options options;
    options.pauses = {{0, 1, 1000}};
    options.timeline_ranks = {0, 1};

    const auto results = replay(builder.graph(), options, 3);

    // An iteration is 150. Rank 1 begins its kernel in time and then waits for rank 0; ranks 2, 3
    // feel nothing.
    EXPECT_EQ(results.end_ps, (std::vector<std::int64_t>{150, 150, 150, 150,    //
                                                         1300, 1300, 300, 300,  //
                                                         1450, 1450, 450, 450}));
    std::vector<std::int64_t> starts;
    for (const engine::TimelineEntry& entry : results.timeline) {
        if (entry.iteration == 1 && entry.op == 0) {
            starts.push_back(entry.start_ps);
        }
    }
    EXPECT_EQ(starts, (std::vector<std::int64_t>{1150, 150}));
    // clock = busy + communication + skew + other
    EXPECT_EQ(results.accounts[0].busy_ps, 300);
    EXPECT_EQ(results.accounts[0].communication_ps[0], 150);
    EXPECT_EQ(results.accounts[0].other_ps, 1000);
    EXPECT_EQ(results.accounts[1].other_ps, 0);
    EXPECT_EQ(results.accounts[1].skew_ps[0], 1000);
}

}  // namespace
