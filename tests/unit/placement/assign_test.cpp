// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/placement/assign.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace prismllm::placement {
namespace {

using graph::Axis;
using graph::ExecutionGraph;
using graph::OpKind;
using Owners = std::vector<std::int32_t>;

constexpr graph::FamilyIndex tensor = 0;
constexpr graph::FamilyIndex data = 1;
constexpr graph::FamilyIndex pipeline = 2;
constexpr graph::FamilyIndex world = 3;

/// A mesh of tp x dp x pp ranks, tp fastest, with one class a pipeline stage. Every rank makes 20
/// calls in its tensor group, 6 in its pipeline, 2 in its data group and 1 with everybody.
ExecutionGraph mesh(std::int64_t tp, std::int64_t dp, std::int64_t pp) {
    ExecutionGraph g;
    g.world_size = tp * dp * pp;
    const Axis t{tp, 1};
    const Axis d{dp, tp};
    const Axis p{pp, tp * dp};
    const auto family = [](const char* name, std::vector<Axis> members, std::vector<Axis> groups) {
        graph::Family f;
        f.name = name;
        f.members = std::move(members);
        f.groups = std::move(groups);
        return f;
    };
    g.families = {family("tp", {t}, {d, p}), family("dp", {d}, {t, p}), family("pp", {p}, {t, d}),
                  family("world", {t, d, p}, {})};
    const int calls[] = {20, 2, 6, 1};
    std::vector<graph::Op> ops;
    for (std::uint32_t f = 0; f < 4; ++f) {
        g.communications.push_back({.family = static_cast<graph::FamilyIndex>(f)});
        for (int i = 0; i < calls[f]; ++i) {
            ops.push_back({.kind = OpKind::communicate, .index = f});
        }
    }
    for (std::int64_t s = 0; s < pp; ++s) {
        g.classes.push_back({.name = "stage", .stage = static_cast<std::int32_t>(s), .ops = ops});
        g.rank_runs.push_back({s * tp * dp, tp * dp, static_cast<std::int32_t>(s)});
    }
    return g;
}

std::vector<std::int64_t> loads(const Owners& owner, int proxies) {
    std::vector<std::int64_t> count(static_cast<std::size_t>(proxies), 0);
    for (const std::int32_t p : owner) {
        ++count.at(static_cast<std::size_t>(p));
    }
    return count;
}

TEST(TrafficByFamily, CountsCallsTimesRanks) {
    // 8 ranks with 20, 2, 6 and 1 calls each.
    EXPECT_EQ(traffic_by_family(mesh(2, 2, 2)), (std::vector<std::int64_t>{160, 16, 48, 8}));
}

TEST(TrafficByFamily, LeavesOutGroupsOfOneRank) {
    EXPECT_EQ(traffic_by_family(mesh(1, 4, 1)), (std::vector<std::int64_t>{0, 8, 0, 4}));
}

TEST(AssignOwners, KeepsTheBusiestGroupsWhole) {
    // Tensor groups and pipelines stay whole: proxy 0 has replica 0 (ranks 0, 1 of stage 0 and
    // 4, 5 of stage 1). Only data groups and the world cross.
    const ExecutionGraph g = mesh(2, 2, 2);

    const Owners owner = assign_owners(g, 2);

    EXPECT_EQ(owner, (Owners{0, 0, 1, 1, 0, 0, 1, 1}));
    EXPECT_EQ(crossing_families(g, owner),
              (std::vector<CrossingFamily>{{data, 4, 4}, {world, 1, 1}}));
}

TEST(AssignOwners, SplitsTheLessBusyFamilyWhenReplicasAreTooFew) {
    // Two pipelines do not make work for four proxies, four tensor groups do.
    const ExecutionGraph g = mesh(2, 2, 2);

    const Owners owner = assign_owners(g, 4);

    EXPECT_EQ(owner, (Owners{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(crossing_families(g, owner),
              (std::vector<CrossingFamily>{{data, 4, 4}, {pipeline, 4, 4}, {world, 1, 1}}));
}

TEST(AssignOwners, KeepsTheRanksOfANodeTogether) {
    // Nodes of 4 ranks: two tensor groups of neighboring replicas, though data groups have the
    // least traffic.
    ExecutionGraph g = mesh(2, 4, 2);
    g.ranks_per_node = 4;

    const Owners owner = assign_owners(g, 4);

    for (std::size_t rank = 0; rank < owner.size(); ++rank) {
        EXPECT_EQ(owner[rank], owner[rank / 4 * 4]) << rank;
    }
    EXPECT_EQ(assign_owners(g, 2).front(), assign_owners(g, 2)[8]) << "a pipeline is whole too";
}

TEST(AssignOwners, PutsBalanceBeforeWholeGroups) {
    // Four tensor groups on three proxies: one would have 4 ranks, 1.5 times the mean of 2.67.
    // Ranks one by one: 3, 3 and 2.
    const ExecutionGraph g = mesh(2, 2, 2);

    const Owners owner = assign_owners(g, 3);

    EXPECT_EQ(owner, (Owners{0, 0, 0, 1, 1, 1, 2, 2}));
    EXPECT_EQ(crossing_families(g, owner).front(), (CrossingFamily{tensor, 4, 1}));
}

TEST(AssignOwners, SplitsPipelineStagesInOrderWhenThereIsOneReplica) {
    // 6 stages of 4 ranks on 3 proxies: neighbors stay together, so that of the 5 borders
    // between stages only 2 are crossed.
    const Owners owner = assign_owners(mesh(4, 1, 6), 3);

    for (std::size_t r = 0; r < owner.size(); ++r) {
        EXPECT_EQ(owner[r], static_cast<std::int32_t>(r / 8)) << r;
    }
}

TEST(AssignOwners, WeighsRanksByTheirOps) {
    // Stage 0 has three times the ops: its one rank equals the three others.
    ExecutionGraph g = mesh(1, 1, 4);
    const auto once = g.classes[0].ops;
    g.classes[0].ops.insert(g.classes[0].ops.end(), once.begin(), once.end());
    g.classes[0].ops.insert(g.classes[0].ops.end(), once.begin(), once.end());

    EXPECT_EQ(assign_owners(g, 2), (Owners{0, 1, 1, 1}));
}

TEST(AssignOwners, GivesEveryProxyWorkWhileRanksLast) {
    for (const int proxies : {1, 2, 3, 5, 7, 8}) {
        const auto count = loads(assign_owners(mesh(2, 2, 2), proxies), proxies);
        EXPECT_GT(*std::min_element(count.begin(), count.end()), 0) << proxies;
    }
    const auto more = loads(assign_owners(mesh(1, 2, 1), 3), 3);
    EXPECT_EQ(more, (std::vector<std::int64_t>{1, 1, 0}));
}

TEST(AssignOwners, TakesIrregularFamilies) {
    // Two groups {0, 3} and {1, 2} that no mesh describes.
    ExecutionGraph g = mesh(1, 4, 1);
    g.families[data].members.clear();
    g.families[data].groups.clear();
    g.families[data].group_offsets = {0, 2, 4};
    g.families[data].ranks = {0, 3, 1, 2};

    EXPECT_EQ(assign_owners(g, 2), (Owners{0, 1, 1, 0}));
}

TEST(AssignOwners, PlacesALargeJobQuicklyAndEvenly) {
    // 1,024 replicas of 128 ranks on 3 proxies: 342, 341, 341.
    const ExecutionGraph g = mesh(8, 1024, 16);
    const auto begin = std::chrono::steady_clock::now();

    const Owners owner = assign_owners(g, 3);

    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    RecordProperty("wall_ms", static_cast<int>(wall.count() * 1e3));
    const auto count = loads(owner, 3);
    EXPECT_EQ(*std::max_element(count.begin(), count.end()), 342 * 128);
    EXPECT_EQ(crossing_families(g, owner),
              (std::vector<CrossingFamily>{{data, 128, 128}, {world, 1, 1}}));
#if !defined(PRISMLLM_SANITIZED) && defined(NDEBUG)
    EXPECT_LT(wall.count(), 1.0);  // 0.03 s on an idle core
#endif
}

}  // namespace
}  // namespace prismllm::placement
