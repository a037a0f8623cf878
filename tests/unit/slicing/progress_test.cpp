// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Order across communicators: which jobs run to their end, and who waits for whom otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/slicing/stitch.hpp"

#include "sketch.hpp"

namespace prismllm::slicing {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class TwoRanks : public testing::Test {
protected:
    graph::ExecutionGraph graph_of(const Script& rank0, const Script& rank1) {
        sketch.ranks(1, rank0);
        sketch.ranks(1, rank1);
        graph::ExecutionGraph graph = std::move(sketch).graph();
        EXPECT_TRUE(graph::check_consistent(graph).has_value());
        return graph;
    }
    Sketch sketch;
    graph::FamilyIndex pp = sketch.family("pp", {{2, 1}});
    graph::FamilyIndex x = sketch.family("x", {{2, 1}});
    graph::FamilyIndex y = sketch.family("y", {{2, 1}});
};

// Case 42, first order. Rank 0: send F1, then receive F0; rank 1: send F0, then receive F1.
TEST_F(TwoRanks, WhoBothSendFirstWaitForEachOtherWhenSendsBlock) {
    using graph::Phase;
    const Script rank0 = sketch.script()
                             .micro_batch(1, Phase::forward)
                             .send(pp, 1)
                             .micro_batch(0, Phase::forward)
                             .recv(pp, 1);
    const Script rank1 = sketch.script()
                             .micro_batch(0, Phase::forward)
                             .send(pp, 1)
                             .micro_batch(1, Phase::forward)
                             .recv(pp, 1);
    const auto graph = graph_of(rank0, rank1);

    const std::vector<Defect> defects = find_defects(graph);

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::cyclic_wait);
    EXPECT_THAT(defects[0].ranks, ElementsAre(0, 1));
    EXPECT_EQ(defects[0].communicator, "pp[0]");
    EXPECT_EQ(defects[0].sequence, 0);
    EXPECT_THAT(
        defects[0].text,
        AllOf(HasSubstr("rank 0 waits in call number 0 of communicator pp[0], send of 1000 bf16 "
                        "[op 0 on stream 'compute', forward, micro-batch 1], for rank 1, which "
                        "does not reach recv of 1000 bf16 [op 1 on stream 'compute', forward, "
                        "micro-batch 1]"),
              HasSubstr("rank 1 waits in call number 0 of communicator pp[0], send of 1000 bf16 "
                        "[op 0 on stream 'compute', forward, micro-batch 0], for rank 0, which "
                        "does not reach recv of 1000 bf16 [op 1 on stream 'compute', forward, "
                        "micro-batch 0]")));
}

// Case 42, second order. Rank 0: send F1, F2, send F2, receive B0; rank 1: receive F1, send B0,
// F1, B1, receive F2. Rank 0 waits in send F2 and rank 1 in send B0.
TEST_F(TwoRanks, InTheSecondOrderWaitInTheirSecondCalls) {
    const Script rank0 =
        sketch.script().send(pp, 1, 100).kernel().send(pp, 1, 200).recv(pp, 1, 300);
    const Script rank1 =
        sketch.script().recv(pp, 1, 100).send(pp, 1, 300).kernel().kernel().recv(pp, 1, 200);
    const auto graph = graph_of(rank0, rank1);

    const std::vector<Defect> defects = find_defects(graph);

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::cyclic_wait);
    EXPECT_EQ(defects[0].sequence, 1);  // second message from rank 0 to rank 1
    EXPECT_THAT(defects[0].text, AllOf(HasSubstr("send of 200"), HasSubstr("recv of 200"),
                                       HasSubstr("send of 300"), HasSubstr("recv of 300")));
}

TEST_F(TwoRanks, InTheSecondOrderPassWhenSendsAreBuffered) {
    const Script rank0 =
        sketch.script().send(pp, 1, 100).kernel().send(pp, 1, 200).recv(pp, 1, 300);
    const Script rank1 =
        sketch.script().recv(pp, 1, 100).send(pp, 1, 300).kernel().kernel().recv(pp, 1, 200);
    auto graph = graph_of(rank0, rank1);
    graph.eager_bytes = 600;  // 300 bf16, the larger of the two messages in question

    EXPECT_TRUE(find_defects(graph).empty());
}

// Case 44: each rank sends, computes, then receives 1,000 bf16 (2,000 bytes). One class.
class SendFirst : public testing::Test {
protected:
    graph::ExecutionGraph graph_with(std::int64_t eager_bytes, bool grouped) {
        Sketch sketch;
        const auto pp = sketch.family("pp", {{2, 1}});
        Script script = sketch.script();
        if (grouped) {
            script.begin().send(pp, 1).recv(pp, 1).end();
        } else {
            script.send(pp, 1).kernel().recv(pp, 1);
        }
        sketch.ranks(2, script);
        graph::ExecutionGraph graph = std::move(sketch).graph();
        graph.eager_bytes = eager_bytes;
        return graph;
    }
};

TEST_F(SendFirst, HangsAboveTheBufferSize) {
    const std::vector<Defect> defects = find_defects(graph_with(1999, false));

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::cyclic_wait);
    EXPECT_THAT(defects[0].ranks, ElementsAre(0, 1));
}

TEST_F(SendFirst, PassesUpToTheBufferSize) {
    EXPECT_TRUE(find_defects(graph_with(2000, false)).empty());
}

TEST_F(SendFirst, PassesAtAnySizeWhenGroupedWithTheReceive) {
    EXPECT_TRUE(find_defects(graph_with(0, true)).empty());
}

TEST_F(TwoRanks, WithSendsInTwoBatchesHangAsWithoutBatches) {
    const Script script = sketch.script().begin().send(pp, 1).end().begin().recv(pp, 1).end();

    EXPECT_EQ(find_defects(graph_of(script, script)).size(), 1U);
}

// Issue order: send (stream 0), all_reduce (stream 1), recv (stream 0). Send and recv are
// neighbors on their stream, so they start together.
TEST_F(TwoRanks, KeepABatchTogetherAcrossCallsOfOtherStreams) {
    sketch.ranks(2, sketch.script().begin().send(pp, 1).recv(pp, 1).end().all_reduce(x, 1));
    graph::ExecutionGraph graph = std::move(sketch).graph();
    std::vector<graph::Op>& ops = graph.classes[0].ops;
    ops[2].stream = 1;
    std::swap(ops[1], ops[2]);

    EXPECT_TRUE(find_defects(graph).empty());
}

TEST_F(TwoRanks, InOppositeOrderOfTwoCommunicatorsNameBoth) {
    const Script rank0 = sketch.script().all_reduce(x, 10).all_reduce(y, 20);
    const Script rank1 = sketch.script().all_reduce(y, 20).all_reduce(x, 10);

    const std::vector<Defect> defects = find_defects(graph_of(rank0, rank1));

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_EQ(defects[0].kind, DefectKind::cyclic_wait);
    EXPECT_THAT(defects[0].ranks, ElementsAre(0, 1));
    EXPECT_THAT(defects[0].text,
                AllOf(HasSubstr("rank 0 waits in call number 0 of communicator x[0]"),
                      HasSubstr("rank 1 waits in call number 0 of communicator y[0]")));
}

TEST_F(TwoRanks, InOppositeOrderPassWhenTheCommunicatorsHaveStreamsOfTheirOwn) {
    const Script rank0 = sketch.script().on(0).all_reduce(x, 10).on(1).all_reduce(y, 20);
    const Script rank1 = sketch.script().on(1).all_reduce(y, 20).on(0).all_reduce(x, 10);

    EXPECT_TRUE(find_defects(graph_of(rank0, rank1)).empty());
}

// The same two streams, but rank 0 lets y wait for x by an event, and rank 1 x for y.
TEST_F(TwoRanks, HangWhenEventsTieTheStreamsInOppositeOrder) {
    const Script rank0 =
        sketch.script().on(0).all_reduce(x, 10).record(0).on(1).wait(0).all_reduce(y, 20);
    const Script rank1 =
        sketch.script().on(1).all_reduce(y, 20).record(0).on(0).wait(0).all_reduce(x, 10);

    const std::vector<Defect> defects = find_defects(graph_of(rank0, rank1));

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_THAT(defects[0].text,
                HasSubstr("stream 'comm' of rank 0 waits for an event of its stream 'compute'"));
}

TEST_F(TwoRanks, PassWhenTheEventIsRecordedBeforeTheCollective) {
    const Script rank0 =
        sketch.script().on(0).kernel().record(0).all_reduce(x, 10).on(1).wait(0).all_reduce(y, 20);
    const Script rank1 =
        sketch.script().on(1).all_reduce(y, 20).record(0).on(0).wait(0).all_reduce(x, 10);

    EXPECT_TRUE(find_defects(graph_of(rank0, rank1)).empty());
}

// Calls of one communicator on two streams may start out of order; they match by issue order.
TEST_F(TwoRanks, MatchCallsOfOneCommunicatorAcrossStreams) {
    const Script script =
        sketch.script().on(0).all_reduce(y, 1).all_reduce(x, 10).on(1).all_reduce(x, 20);
    const Script late = sketch.script().on(0).all_reduce(y, 1).all_reduce(x, 10).all_reduce(x, 20);

    EXPECT_TRUE(find_defects(graph_of(script, late)).empty());
}

// Three ranks in a ring, each sending on before it receives: one cycle of three.
TEST(Ring, OfBlockingSendsIsOneCycleOverAllRanks) {
    Sketch sketch;
    const auto ring = sketch.family("ring", {{3, 1}});
    sketch.ranks(3, sketch.script().send(ring, 1).recv(ring, -1));

    const std::vector<Defect> defects = find_defects(std::move(sketch).graph());

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_THAT(defects[0].ranks, ElementsAre(0, 1, 2));
}

// 512 copies of a hanging pair are told once.
TEST(Ring, CopiesOfACycleAreToldOnce) {
    Sketch sketch;
    const auto pp = sketch.family("pp", {{2, 512}}, {{512, 1}});
    sketch.ranks(1024, sketch.script().send(pp, 1).recv(pp, 1));

    const std::vector<Defect> defects = find_defects(std::move(sketch).graph());

    ASSERT_EQ(defects.size(), 1U);
    EXPECT_THAT(defects[0].ranks, ElementsAre(0, 512));
}

}  // namespace
}  // namespace prismllm::slicing
