// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The same bits whatever the number of proxies and whoever owns which rank.
#include <map>

#include "prismllm/base/random.hpp"

#include "run_engine.hpp"

namespace {

using namespace prismllm;
using prismllm::samples::make_pipeline_job;
using prismllm::samples::PipelineJob;
using prismllm::samples::replay;
using prismllm::samples::replay_on;

PipelineJob mixed_job(int chunks) {
    PipelineJob job;
    job.tensor = 2;
    job.data = 4;
    job.pipeline = 3;
    job.chunks = chunks;
    job.micro_batches = 6;
    job.layers = 2;
    job.kernels = 2;
    job.kernel_ps = 1'234'567;
    job.backward_kernel_ps = 2'345'678;
    job.tensor_cost_ps = 345'678;
    job.data_cost_ps = 4'567'890;
    job.pipeline_cost_ps = 567'890;
    return job;
}

engine::Options mixed_options() {
    engine::Options options;
    options.jitter = 0.05;
    options.slow_ranks = {{3, 1.5}, {10, 0.9}, {23, 1.01}};
    options.timeline_ranks = {0, 13};
    return options;
}

std::vector<std::int32_t> random_owners(std::int64_t world, int proxies, std::uint64_t seed) {
    std::vector<std::int32_t> owner;
    for (std::int64_t rank = 0; rank < world; ++rank) {
        owner.push_back(
            static_cast<std::int32_t>(mix_bits(seed * 1000 + static_cast<std::uint64_t>(rank)) %
                                      static_cast<std::uint64_t>(proxies)));
    }
    return owner;
}

/// All ranks' numbers, in rank order, as if one proxy had computed them.
engine::LaneResults merged(const std::vector<samples::ProxyOutcome>& outcomes, int iterations) {
    std::map<std::int64_t, std::pair<std::vector<std::int64_t>, engine::LaneAccount>> by_rank;
    engine::LaneResults all;
    std::map<std::int64_t, std::vector<engine::TimelineEntry>> timelines;
    for (const auto& outcome : outcomes) {
        const auto& r = outcome.results;
        for (std::size_t lane = 0; lane < r.ranks.size(); ++lane) {
            auto& [ends, account] = by_rank[r.ranks[lane]];
            account = r.accounts[lane];
            for (int i = 0; i < iterations; ++i) {
                ends.push_back(r.end_ps[static_cast<std::size_t>(i) * r.ranks.size() + lane]);
            }
        }
        for (const auto& entry : r.timeline) {
            timelines[entry.rank].push_back(entry);
        }
    }
    for (int i = 0; i < iterations; ++i) {
        for (const auto& [rank, values] : by_rank) {
            all.end_ps.push_back(values.first[static_cast<std::size_t>(i)]);
        }
    }
    for (const auto& [rank, values] : by_rank) {
        all.ranks.push_back(rank);
        all.accounts.push_back(values.second);
    }
    for (const auto& [rank, entries] : timelines) {
        all.timeline.insert(all.timeline.end(), entries.begin(), entries.end());
    }
    return all;
}

void expect_equal(const engine::LaneResults& a, const engine::LaneResults& b) {
    EXPECT_EQ(a.ranks, b.ranks);
    EXPECT_EQ(a.end_ps, b.end_ps);
    ASSERT_EQ(a.accounts.size(), b.accounts.size());
    for (std::size_t lane = 0; lane < a.accounts.size(); ++lane) {
        EXPECT_EQ(a.accounts[lane].busy_ps, b.accounts[lane].busy_ps);
        EXPECT_EQ(a.accounts[lane].other_ps, b.accounts[lane].other_ps);
        EXPECT_EQ(a.accounts[lane].communication_ps, b.accounts[lane].communication_ps);
        EXPECT_EQ(a.accounts[lane].skew_ps, b.accounts[lane].skew_ps);
    }
    ASSERT_EQ(a.timeline.size(), b.timeline.size());
    for (std::size_t i = 0; i < a.timeline.size(); ++i) {
        EXPECT_EQ(a.timeline[i].rank, b.timeline[i].rank);
        EXPECT_EQ(a.timeline[i].op, b.timeline[i].op);
        EXPECT_EQ(a.timeline[i].start_ps, b.timeline[i].start_ps);
        EXPECT_EQ(a.timeline[i].end_ps, b.timeline[i].end_ps);
    }
}

class Proxies : public ::testing::TestWithParam<std::tuple<int, int, std::int64_t, bool>> {};

TEST_P(Proxies, GiveTheSameBitsForRandomOwners) {
    const auto [proxies, chunks, eager_bytes, split] = GetParam();
    auto graph = make_pipeline_job(mixed_job(chunks));
    graph.eager_bytes = eager_bytes;
    graph.split_classes_by_position = split;
    const auto alone = replay(graph, mixed_options(), 2);

    for (const std::uint64_t seed : {1, 2, 3}) {
        const auto outcomes = replay_on(graph, random_owners(graph.world_size, proxies, seed),
                                        proxies, mixed_options(), 2);

        for (const auto& outcome : outcomes) {
            for (const auto& status : outcome.iterations) {
                ASSERT_TRUE(status) << status.error().message;
            }
        }
        expect_equal(merged(outcomes, 2), alone);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Proxies,
                         ::testing::Combine(::testing::Values(1, 2, 3, 5), ::testing::Values(1, 2),
                                            ::testing::Values(std::int64_t{0}, std::int64_t{4096}),
                                            ::testing::Bool()));

TEST(Proxies, RingOfOneClassAcrossProxiesMatchesOneProxy) {
    samples::GraphBuilder builder{12, {"compute"}};
    const auto ring = builder.family("cp", {{6, 1}}, {{2, 6}});
    const auto send = builder.send(ring, 1, 5);
    const auto recv = builder.recv(ring, -1, 7);
    auto ops = builder.rank_class(12, "all");
    for (int i = 0; i < 5; ++i) {
        ops.kernel(0, builder.kernel(1000));
        ops.batch(0, {send, recv});
    }
    engine::Options options;
    options.jitter = 0.2;
    const auto alone = replay(builder.graph(), options);

    for (const int proxies : {2, 3, 5}) {
        const auto outcomes =
            replay_on(builder.graph(), random_owners(12, proxies, 9), proxies, options);
        EXPECT_EQ(merged(outcomes, 1).end_ps, alone.end_ps);
    }
}

TEST(Proxies, WithoutAnyLaneTakePartQuietly) {
    const auto graph = make_pipeline_job(mixed_job(1));
    const auto alone = replay(graph, mixed_options());
    std::vector<std::int32_t> owner(static_cast<std::size_t>(graph.world_size), 0);
    owner[5] = 2;  // proxy 1 owns nobody

    const auto outcomes = replay_on(graph, owner, 3, mixed_options());

    EXPECT_TRUE(outcomes[1].results.ranks.empty());
    EXPECT_EQ(merged(outcomes, 1).end_ps, alone.end_ps);
}

}  // namespace
