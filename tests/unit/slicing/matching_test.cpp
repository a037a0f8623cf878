// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/slicing/stitch.hpp"

#include "sketch.hpp"

namespace prismllm::slicing {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// tp pairs (0,1) (2,3) and dp pairs (0,2) (1,3); `odd` is rank 3's script.
graph::ExecutionGraph two_by_two(Sketch sketch, const Script& common, const Script& odd) {
    sketch.ranks(3, common);
    sketch.ranks(1, odd);
    return std::move(sketch).graph();
}

class TwoByTwo : public testing::Test {
protected:
    Sketch sketch;
    graph::FamilyIndex tp = sketch.family("tp", {{2, 1}}, {{2, 2}});
    graph::FamilyIndex dp = sketch.family("dp", {{2, 2}}, {{2, 1}});
    Script common = sketch.script().all_reduce(tp, 64).all_gather(tp, 32).all_reduce(dp, 16);
};

TEST_F(TwoByTwo, PassesWhenAllRanksAgree) {
    const auto graph = two_by_two(std::move(sketch), common, common);

    EXPECT_TRUE(find_defects(graph).empty());
    EXPECT_TRUE(prove(graph).has_value());
}

TEST_F(TwoByTwo, PassesWhenEqualCallsStandInDifferentClasses) {
    const Script slower =
        sketch.script().kernel().all_reduce(tp, 64).all_gather(tp, 32).all_reduce(dp, 16);
    const auto graph = two_by_two(std::move(sketch), common, slower);

    EXPECT_EQ(graph.classes.size(), 2U);
    EXPECT_TRUE(find_defects(graph).empty());
}

// Rank 3 swaps its first two tp calls; it shares tp[1] with rank 2.
TEST_F(TwoByTwo, NamesTheRankThatSwapsTwoCollectives) {
    const Script odd = sketch.script().all_gather(tp, 32).all_reduce(tp, 64).all_reduce(dp, 16);
    const auto graph = two_by_two(std::move(sketch), common, odd);

    const std::vector<Defect> defects = find_defects(graph);

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::mismatched_collective);
    EXPECT_EQ(defects[0].communicator, "tp[1]");
    EXPECT_EQ(defects[0].sequence, 0);
    EXPECT_THAT(defects[0].ranks, testing::UnorderedElementsAre(2, 3));
    EXPECT_THAT(defects[0].text,
                AllOf(HasSubstr("call number 0 of communicator tp[1]"), HasSubstr("rank 2"),
                      HasSubstr("rank 3"), HasSubstr("all_gather of 32 bf16 [op 0"),
                      HasSubstr("all_reduce of 64 bf16 (sum) [op 0")));
}

TEST_F(TwoByTwo, FindsEveryFieldInWhichCollectivesCanDiffer) {
    const graph::Communication base = Script::collective(graph::CollectiveKind::broadcast, tp, 64);
    for (int field = 0; field < 4; ++field) {
        Sketch job;
        const auto family = job.family("tp", {{2, 1}});
        graph::Communication right = base;
        right.family = family;
        right.root = 0;
        graph::Communication wrong = right;
        wrong.elements = field == 0 ? 65 : wrong.elements;
        wrong.dtype = field == 1 ? graph::DType::fp32 : wrong.dtype;
        wrong.root = field == 2 ? 1 : wrong.root;
        wrong.reduce = field == 3 ? graph::ReduceOp::max : wrong.reduce;
        job.ranks(1, job.script().call(right));
        job.ranks(1, job.script().call(wrong));

        const std::vector<Defect> defects = find_defects(std::move(job).graph());

        ASSERT_EQ(defects.size(), 1U) << field;
        EXPECT_EQ(defects[0].kind, DefectKind::mismatched_collective) << field;
    }
}

// Five members of world[0]; rank 3 alone leaves out the second call. It is accused, not its peers.
TEST(FindDefects, NamesTheRankThatNeverIssuesACollective) {
    Sketch sketch;
    const auto world = sketch.family("world", {{5, 1}});
    const Script full = sketch.script().all_reduce(world, 8).all_reduce(world, 9);
    const Script brief = sketch.script().all_reduce(world, 8);
    sketch.ranks(3, full);
    sketch.ranks(1, brief);
    sketch.ranks(1, full);

    const std::vector<Defect> defects = find_defects(std::move(sketch).graph());

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::missing_collective);
    EXPECT_EQ(defects[0].communicator, "world[0]");
    EXPECT_EQ(defects[0].sequence, 1);
    EXPECT_THAT(defects[0].ranks, ElementsAre(3, 0, 1, 2, 4));
    EXPECT_THAT(defects[0].text,
                AllOf(HasSubstr("rank 3 never issues call number 1 of communicator world[0]"),
                      HasSubstr("ranks 0, 1, 2 and 4 wait in it: all_reduce of 9 bf16 (sum)")));
}

TEST(FindDefects, AccusesTheMinorityOfAMismatch) {
    Sketch sketch;
    const auto world = sketch.family("world", {{5, 1}});
    sketch.ranks(1, sketch.script().all_reduce(world, 7));
    sketch.ranks(4, sketch.script().all_reduce(world, 8));

    const std::vector<Defect> defects = find_defects(std::move(sketch).graph());

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].ranks.front(), 0);
}

class Pairs : public testing::Test {
protected:
    std::vector<Defect> defects_of(const Script& sender, const Script& receiver) {
        sketch.ranks(1, sender);
        sketch.ranks(1, receiver);
        return find_defects(std::move(sketch).graph());
    }
    Sketch sketch;
    graph::FamilyIndex pp = sketch.family("pp", {{2, 1}});
};

TEST_F(Pairs, PassWhenEverySendMeetsItsReceive) {
    EXPECT_TRUE(defects_of(sketch.script().send(pp, 1).send(pp, 1),
                           sketch.script().recv(pp, -1).recv(pp, -1))
                    .empty());
}

TEST_F(Pairs, ReportASendWithoutReceive) {
    const auto defects =
        defects_of(sketch.script().send(pp, 1).send(pp, 1), sketch.script().recv(pp, -1));

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::unmatched_send);
    EXPECT_THAT(defects[0].ranks, ElementsAre(0, 1));
    EXPECT_EQ(defects[0].communicator, "pp[0]");
    EXPECT_EQ(defects[0].sequence, 1);
    EXPECT_THAT(defects[0].text, HasSubstr("rank 1 receives only 1 from it"));
}

TEST_F(Pairs, ReportAReceiveWithoutSend) {
    const auto defects = defects_of(sketch.script().kernel(), sketch.script().recv(pp, -1));

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::unmatched_recv);
    EXPECT_THAT(defects[0].ranks, ElementsAre(1, 0));
    EXPECT_EQ(defects[0].sequence, 0);
}

TEST_F(Pairs, ReportSizesThatDiffer) {
    const auto defects = defects_of(sketch.script().send(pp, 1, 5).send(pp, 1, 6),
                                    sketch.script().recv(pp, -1, 5).recv(pp, -1, 7));

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::size_mismatch);
    EXPECT_EQ(defects[0].sequence, 1);
    EXPECT_THAT(defects[0].text,
                AllOf(HasSubstr("rank 0 issues send of 6"), HasSubstr("rank 1 issues recv of 7")));
}

// In a group of two, one step on and one step back lead to the same peer: messages match in
// order whichever way the distance is written.
TEST_F(Pairs, TakeEqualDistancesModuloTheGroupAsOne) {
    EXPECT_TRUE(defects_of(sketch.script().send(pp, 1, 5).send(pp, -1, 6),
                           sketch.script().recv(pp, 1, 5).recv(pp, -1, 6))
                    .empty());
}

graph::Communication all_to_all(graph::FamilyIndex family, std::int64_t elements,
                                std::int32_t splits) {
    graph::Communication c =
        Script::collective(graph::CollectiveKind::all_to_all, family, elements);
    c.splits = splits;
    return c;
}

/// Rank i sends send[i][j] elements to rank j and expects receive[i][j] from it.
graph::ExecutionGraph uneven(std::vector<graph::ExecutionGraph::Splits> splits) {
    Sketch sketch;
    const auto ep = sketch.family("ep", {{static_cast<std::int64_t>(splits.size()), 1}});
    for (std::size_t i = 0; i < splits.size(); ++i) {
        std::int64_t total = 0;
        for (const std::int64_t elements : splits[i].send) {
            total += elements;
        }
        sketch.ranks(1, sketch.script().call(all_to_all(ep, total, static_cast<std::int32_t>(i))));
    }
    graph::ExecutionGraph graph = std::move(sketch).graph();
    graph.splits = std::move(splits);
    return graph;
}

TEST(Splits, PassWhenAllPairsAgree) {
    const auto graph = uneven({{{2, 3}, {2, 1}}, {{1, 4}, {3, 4}}});

    ASSERT_TRUE(graph::check_consistent(graph).has_value());
    EXPECT_TRUE(find_defects(graph).empty());
}

// Case 48: rank 0 sends 3 elements to rank 1, which expects 1; what rank 1 gets in all (1 + 6)
// equals what it would get with 3 + 4, so totals agree.
TEST(Splits, NameThePairTheDirectionAndBothNumbers) {
    const auto graph = uneven({{{2, 3}, {2, 1}}, {{1, 4}, {1, 6}}});

    const std::vector<Defect> defects = find_defects(graph);

    ASSERT_EQ(defects.size(), 2U);
    EXPECT_EQ(defects[0].kind, DefectKind::split_mismatch);
    EXPECT_THAT(defects[0].ranks, ElementsAre(0, 1));
    EXPECT_EQ(defects[0].communicator, "ep[0]");
    EXPECT_THAT(defects[0].text,
                HasSubstr("rank 0 sends 3 elements to rank 1 in call number 0 of communicator "
                          "ep[0], but rank 1 expects 1 from rank 0"));
    EXPECT_THAT(defects[1].ranks, ElementsAre(1, 1));
}

TEST(FindDefects, StopsAtTheLimit) {
    Sketch sketch;
    std::vector<graph::FamilyIndex> families;
    for (int i = 0; i < 6; ++i) {
        families.push_back(sketch.family(fmt::format("f{}", i), {{2, 1}}));
    }
    Script full = sketch.script();
    for (const graph::FamilyIndex f : families) {
        full.all_reduce(f, 1);
    }
    sketch.ranks(1, full);
    sketch.ranks(1, sketch.script().kernel());
    const auto graph = std::move(sketch).graph();

    EXPECT_EQ(find_defects(graph).size(), 6U);
    EXPECT_EQ(find_defects(graph, 4).size(), 4U);
    const Status status = prove(graph);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::job_failed);
    EXPECT_THAT(status.error().message, HasSubstr("6 defects found"));
}

}  // namespace
}  // namespace prismllm::slicing
