// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What is observed, split or accounted must not change a bit.
#include <algorithm>
#include <thread>

#include "run_engine.hpp"

namespace {

using namespace prismllm;
using prismllm::samples::make_pipeline_job;
using prismllm::samples::PipelineJob;
using prismllm::samples::replay;

PipelineJob odd_job() {
    PipelineJob job;
    job.tensor = 2;
    job.data = 2;
    job.pipeline = 3;
    job.micro_batches = 4;
    job.layers = 2;
    job.forward_blocks = 2;
    job.backward_blocks = 3;
    job.kernels = 4;
    job.kernel_ps = 1'234'567;
    job.backward_kernel_ps = 3'000'000'017;
    job.tensor_cost_ps = 345'678;
    job.data_cost_ps = 4'567'890;
    job.pipeline_cost_ps = 567'890;
    return job;
}

engine::Options odd_options() {
    engine::Options options;
    options.seed = 42;
    options.slow_ranks = {{1, 1.37}, {4, 0.83}, {7, 3.1}, {11, 1.0000004}};
    return options;
}

TEST(Exactness, TimelinesDoNotChangeEnds) {
    const auto graph = make_pipeline_job(odd_job());
    engine::Options options = odd_options();
    for (const double jitter : {0.0, 0.05}) {
        options.jitter = jitter;
        options.timeline_ranks = {};
        const auto unobserved = replay(graph, options, 2);
        options.timeline_ranks = {0, 1, 4, 7, 11};
        const auto observed = replay(graph, options, 2);

        EXPECT_EQ(unobserved.end_ps, observed.end_ps);
        EXPECT_TRUE(unobserved.timeline.empty());
        // The last op of every observed rank ends when its iteration ends.
        const std::size_t lanes = observed.ranks.size();
        for (const std::size_t rank : {std::size_t{0}, std::size_t{1}, std::size_t{11}}) {
            for (std::size_t i = 0; i < 2; ++i) {
                std::int64_t last = 0;
                for (const auto& entry : observed.timeline) {
                    if (entry.rank == static_cast<std::int64_t>(rank) &&
                        entry.iteration == static_cast<std::int32_t>(i)) {
                        last = std::max(last, entry.end_ps);
                    }
                }
                EXPECT_EQ(last, observed.end_ps[i * lanes + rank]);
            }
        }
    }
}

TEST(Exactness, EventsBetweenKernelsDoNotChangeEnds) {
    PipelineJob job = odd_job();
    const auto plain = replay(make_pipeline_job(job), odd_options());
    job.extra_events = true;

    const auto watched = replay(make_pipeline_job(job), odd_options());

    EXPECT_EQ(plain.end_ps, watched.end_ps);
}

TEST(Exactness, EventsBetweenKernelsSeeThePartialWork) {
    // 1 ps kernels at factor 1.25: ends are rounded from the start of the segment, not summed.
    samples::GraphBuilder builder{1, {"compute", "side"}};
    const auto kernel = builder.kernel(1);
    auto ops = builder.rank_class(1, "one");
    for (int i = 0; i < 6; ++i) {
        ops.kernel(0, kernel);
        ops.order(0, 1);
        ops.kernel(1, builder.kernel(1000 * (i + 1)));
    }
    engine::Options options;
    options.slow_ranks = {{0, 1.25}};
    options.timeline_ranks = {0};

    const auto results = replay(builder.graph(), options);

    // round(1.25 k) = 1, 3 (2.5 up), 4 (3.75), 5, 6 (6.25), 8 (7.5 up).
    std::vector<std::int64_t> ends;
    for (const auto& entry : results.timeline) {
        if (entry.end_ps < 1000) {
            ends.push_back(entry.end_ps);
        }
    }
    EXPECT_EQ(ends, (std::vector<std::int64_t>{1, 3, 4, 5, 6, 8}));
    // Side stream: six kernels of 1.25 (1 .. 6) ns from the first event at 1, never waiting.
    EXPECT_EQ(results.end_ps[0], 1 + 26250);
}

TEST(Exactness, TimelineOfOneRankListsEveryTimedOpInOrder) {
    samples::GraphBuilder builder{2, {"compute", "comm"}};
    const auto dp = builder.family("dp", {{2, 1}}, {});
    const auto reduce = builder.collective(dp, {50});
    for (const std::int64_t t : {100, 300}) {
        auto ops = builder.rank_class(1, "r");
        const auto kernel = builder.kernel(t);
        ops.kernel(0, kernel);  // op 0
        ops.kernel(0, kernel);  // op 1
        ops.order(0, 1);        // ops 2, 3
        ops.call(1, reduce);    // op 4
    }
    engine::Options options;
    options.timeline_ranks = {0};

    const auto results = replay(builder.graph(), options);

    ASSERT_EQ(results.timeline.size(), 3U);
    const auto expect = [&](std::size_t i, std::int64_t op, std::int64_t start, std::int64_t end) {
        EXPECT_EQ(results.timeline[i].op, op);
        EXPECT_EQ(results.timeline[i].start_ps, start);
        EXPECT_EQ(results.timeline[i].end_ps, end);
    };
    expect(0, 0, 0, 100);
    expect(1, 1, 100, 200);
    expect(2, 4, 200, 650);
}

TEST(Jitter, ChangesWithSeedAndIterationAndRepeatsOtherwise) {
    const auto graph = make_pipeline_job(odd_job());
    engine::Options options = odd_options();
    options.jitter = 0.1;

    const auto first = replay(graph, options, 2);
    const auto again = replay(graph, options, 2);
    options.seed = 43;
    const auto other = replay(graph, options, 2);

    EXPECT_EQ(first.end_ps, again.end_ps);
    EXPECT_NE(first.end_ps, other.end_ps);
    const std::size_t lanes = first.ranks.size();
    EXPECT_NE(first.end_ps[lanes] - first.end_ps[0], first.end_ps[0]);
}

TEST(Jitter, LeavesTheMeanOfAManyKernelRankInPlace) {
    samples::GraphBuilder builder{64, {"compute"}};
    const auto kernel = builder.kernel(1'000'000);
    auto ops = builder.rank_class(64, "all");
    for (int i = 0; i < 1000; ++i) {
        ops.kernel(0, kernel);
    }
    engine::Options options;
    options.jitter = 0.2;

    const auto results = replay(builder.graph(), options);

    // Relative deviation of a sum of 1000: 0.2 / sqrt(1000) = 0.63 %; five of them are 3.2 %.
    double mean = 0;
    for (const std::int64_t end : results.end_ps) {
        EXPECT_NEAR(static_cast<double>(end), 1e9, 3.2e7);
        mean += static_cast<double>(end) / 64;
    }
    EXPECT_NEAR(mean, 1e9, 4e6);
    EXPECT_NE(results.end_ps[0], results.end_ps[1]);
}

TEST(ParticipantOps, CountWhatTheGraphCounts) {
    const auto graph = make_pipeline_job(odd_job());
    engine::SoloExchange exchange;
    engine::Engine engine{graph, samples::all_here(graph), exchange, {}};

    ASSERT_TRUE(engine.run_iteration());
    ASSERT_TRUE(engine.run_iteration());

    EXPECT_EQ(engine.participant_ops(), 2 * graph::participant_ops(graph));
    EXPECT_GT(engine.state_bytes_per_participant(), 0);
}

TEST(State, StaysUnderTwoHundredBytesAParticipantOnALargeJob) {
    auto job = samples::large_job();
    job.micro_batches = 17;  // more than stages, so that the steady state is reached
    job.layers = 4;
    const auto graph = make_pipeline_job(job);
    engine::Options options;
    options.jitter = 0.02;
    options.slow_ranks = {{0, 1.1}};
    engine::SoloExchange exchange;
    engine::Engine engine{graph, samples::all_here(graph), exchange, options};

    ASSERT_TRUE(engine.run_iteration());

    EXPECT_LE(engine.state_bytes_per_participant(), 200);
}

/// A real rank alone on its proxy: its own durations, and what its peers feel of them.
TEST(Exactness, ARanksOwnDurationsTakeTheGraphsPlace) {
    const auto job = make_pipeline_job(odd_job());
    std::vector<std::int32_t> owner = prismllm::samples::all_here(job);
    owner[4] = 1;
    const auto& ops = job.classes[static_cast<std::size_t>(graph::class_of_ranks(job)[4])].ops;
    std::vector<std::int64_t> durations(ops.size());
    const auto ends = [&](std::int64_t percent) {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            durations[i] = ops[i].kind == graph::OpKind::kernel
                               ? job.kernel_costs[ops[i].index].duration_ps * percent / 100
                               : -1;
        }
        prismllm::samples::MemoryHub hub{2};
        std::vector<std::int64_t> all(static_cast<std::size_t>(job.world_size));
        std::vector<std::thread> threads;
        for (int p = 0; p < 2; ++p) {
            threads.emplace_back([&, p] {
                prismllm::samples::MemoryExchange exchange{hub, p};
                engine::Options options;
                options.timeline_ranks = {4};
                options.live = p == 1;
                options.measured_ps = p == 1 ? &durations : nullptr;
                engine::Engine engine{job, owner, exchange, options};
                EXPECT_TRUE(engine.run_iteration());
                const engine::LaneResults& results = engine.results();
                for (std::size_t i = 0; i < results.ranks.size(); ++i) {
                    all[static_cast<std::size_t>(results.ranks[i])] = results.end_ps[i];
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        return all;
    };
    EXPECT_EQ(ends(100), replay(job).end_ps);
    engine::Options twice_as_slow;
    twice_as_slow.slow_ranks = {{4, 2.0}};
    EXPECT_EQ(ends(200), replay(job, twice_as_slow).end_ps);
}

}  // namespace
