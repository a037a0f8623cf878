// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {
namespace {

using testing::ElementsAre;

// World of tp 2, dp 3, pp 2, numbered tp fastest: rank = t + 2 d + 6 p.
Family data_parallel() {
    return {"dp", FamilyKind::data, 0, {{3, 2}}, {{2, 1}, {2, 6}}, {}, {}};
}

// Model parallel groups hold two axes: members t + 6 p, one group a d.
Family model_parallel() {
    return {"model", FamilyKind::model, 0, {{2, 1}, {2, 6}}, {{3, 2}}, {}, {}};
}

Family hand_written() {
    return {"odd", FamilyKind::other, 0, {}, {}, {0, 3, 4}, {5, 0, 2, 4}};
}

TEST(Family, OfOneAxisCountsAndListsItsGroups) {
    const Family dp = data_parallel();

    EXPECT_EQ(dp.group_count(), 4);
    EXPECT_EQ(dp.group_size(3), 3);
    EXPECT_THAT(dp.group_ranks(0), ElementsAre(0, 2, 4));
    EXPECT_THAT(dp.group_ranks(1), ElementsAre(1, 3, 5));
    EXPECT_THAT(dp.group_ranks(2), ElementsAre(6, 8, 10));
    EXPECT_EQ(dp.rank_at(3, 2), 11);
}

TEST(Family, OfTwoMemberAxesGoesThroughTheFirstFastest) {
    const Family model = model_parallel();

    EXPECT_EQ(model.group_count(), 3);
    EXPECT_THAT(model.group_ranks(1), ElementsAre(2, 3, 8, 9));
    EXPECT_EQ(model.rank_at(1, 2), 8);
}

TEST(Family, OfListedRanksKeepsTheirOrder) {
    const Family odd = hand_written();

    EXPECT_FALSE(odd.is_regular());
    EXPECT_EQ(odd.group_count(), 2);
    EXPECT_EQ(odd.group_size(0), 3);
    EXPECT_EQ(odd.group_size(1), 1);
    EXPECT_THAT(odd.group_ranks(0), ElementsAre(5, 0, 2));
    EXPECT_EQ(odd.rank_at(0, 1), 0);
}

TEST(Membership, GivesGroupAndPositionOfEveryRank) {
    const Membership membership = membership_of(data_parallel(), 12);

    EXPECT_THAT(membership.group, ElementsAre(0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3));
    EXPECT_THAT(membership.position, ElementsAre(0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2));
}

TEST(Membership, MarksRanksOutsideTheFamily) {
    const Membership membership = membership_of(hand_written(), 6);

    EXPECT_THAT(membership.group, ElementsAre(0, -1, 0, -1, 1, 0));
    EXPECT_THAT(membership.position, ElementsAre(1, -1, 2, -1, 0, 0));
}

TEST(Membership, AgreesWithGroupRanksAtScale) {
    const Family dp{"dp", FamilyKind::data, 0, {{1024, 8}}, {{8, 1}, {16, 8192}}, {}, {}};

    const Membership membership = membership_of(dp, 131072);

    std::int64_t seen = 0;
    for (std::int64_t g = 0; g < dp.group_count(); ++g) {
        const std::vector<std::int64_t> ranks = dp.group_ranks(g);
        for (std::size_t p = 0; p < ranks.size(); ++p, ++seen) {
            const auto rank = static_cast<std::size_t>(ranks[p]);
            ASSERT_EQ(membership.group[rank], g);
            ASSERT_EQ(membership.position[rank], static_cast<std::int32_t>(p));
        }
    }
    EXPECT_EQ(seen, 131072);
}

TEST(ClassOfRanks, UnfoldsRuns) {
    ExecutionGraph graph;
    graph.world_size = 5;
    graph.rank_runs = {{0, 2, 1}, {2, 1, 0}, {3, 2, 1}};

    EXPECT_THAT(class_of_ranks(graph), ElementsAre(1, 1, 0, 1, 1));
}

// Class 0 has 2 timed ops (kernel, wait) on 1 rank, class 1 has 1 on 4 ranks; allocate and
// release take no time.
TEST(ParticipantOps, CountsTimedOpsOverAllRanks) {
    ExecutionGraph graph;
    graph.world_size = 5;
    graph.rank_runs = {{0, 2, 1}, {2, 1, 0}, {3, 2, 1}};
    graph.classes.resize(2);
    for (const OpKind kind : {OpKind::allocate, OpKind::kernel, OpKind::wait, OpKind::release}) {
        Op op;
        op.kind = kind;
        graph.classes[0].ops.push_back(op);
    }
    graph.classes[1].ops.emplace_back();

    EXPECT_EQ(participant_ops(graph), 2 * 1 + 1 * 4);
}

}  // namespace
}  // namespace prismllm::graph
