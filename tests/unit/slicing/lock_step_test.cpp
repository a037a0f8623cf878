// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// How far the lanes of a class may be advanced together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/slicing/stitch.hpp"

#include "sketch.hpp"

namespace prismllm::slicing {
namespace {

/// GPipe over `stages` stages of `width` ranks, with all middle stages in one class.
graph::ExecutionGraph pipeline(std::int64_t stages, std::int64_t width, int micro_batches,
                               bool one_class_a_stage = false) {
    Sketch sketch;
    const auto tp = sketch.family("tp", {{width, 1}}, {{stages, width}});
    const auto pp = sketch.family("pp", {{stages, width}}, {{width, 1}});
    for (std::int64_t stage = 0; stage < stages; ++stage) {
        Script script = sketch.script();
        if (one_class_a_stage) {
            script.micro_batch(static_cast<std::int16_t>(stage), graph::Phase::other);
        }
        for (const bool forward : {true, false}) {
            const std::int32_t on = forward ? 1 : -1;
            for (int m = 0; m < micro_batches; ++m) {
                if (forward ? stage > 0 : stage + 1 < stages) {
                    script.recv(pp, -on);
                }
                script.kernel().all_reduce(tp, 8);
                if (forward ? stage + 1 < stages : stage > 0) {
                    script.send(pp, on);
                }
            }
        }
        sketch.ranks(width, script);
    }
    return std::move(sketch).graph();
}

TEST(LockStep, OfOneClassAStageNeedsNoSplit) {
    graph::ExecutionGraph graph = pipeline(6, 2, 3, true);

    ASSERT_EQ(graph.classes.size(), 6U);
    EXPECT_FALSE(needs_position_split(graph));
    ASSERT_TRUE(prove_and_mark(graph).has_value());
    EXPECT_FALSE(graph.split_classes_by_position);
}

// A middle stage receives from a middle stage before it sends to one: as one unit it would wait
// for itself, rank by rank it does not.
TEST(LockStep, OfEqualMiddleStagesNeedsThePosition) {
    graph::ExecutionGraph graph = pipeline(6, 2, 3);

    ASSERT_EQ(graph.classes.size(), 3U);
    EXPECT_TRUE(find_defects(graph).empty());
    EXPECT_TRUE(needs_position_split(graph));
    ASSERT_TRUE(prove_and_mark(graph).has_value());
    EXPECT_TRUE(graph.split_classes_by_position);
    EXPECT_EQ(graph.classes.size(), 3U);
}

// Ranks 1 and 2 are of one class; x and z pair them with rank 0 and with rank 3. Rank 0 does
// x z y, rank 3 y x z, so rank 1 is done with both before rank 2 starts. Advanced as one, they
// would wait for rank 3 in x, it for rank 0 in y, and rank 0 for them in z.
TEST(LockStep, SplitsClassesThatPositionCannotTellApart) {
    Sketch sketch;
    const auto x = sketch.family("x", {{2, 1}}, {{2, 2}});
    const auto z = sketch.family("z", {{2, 1}}, {{2, 2}});
    const auto y = sketch.family("y", {{2, 3}});
    sketch.ranks(1, sketch.script().all_reduce(x, 1).all_reduce(z, 2).all_reduce(y, 3));
    sketch.ranks(2, sketch.script().all_reduce(x, 1).all_reduce(z, 2));
    sketch.ranks(1, sketch.script().all_reduce(y, 3).all_reduce(x, 1).all_reduce(z, 2));
    graph::ExecutionGraph graph = std::move(sketch).graph();

    ASSERT_TRUE(find_defects(graph).empty());
    ASSERT_TRUE(prove_and_mark(graph).has_value());

    EXPECT_FALSE(graph.split_classes_by_position);
    ASSERT_EQ(graph.classes.size(), 4U);
    const std::vector<std::int32_t> expected = {0, 1, 3, 2};
    EXPECT_EQ(graph::class_of_ranks(graph), expected);
    EXPECT_EQ(graph.classes[3].ops, graph.classes[1].ops);
    EXPECT_TRUE(graph::check_consistent(graph).has_value());
    const graph::ExecutionGraph marked = graph;
    ASSERT_TRUE(prove_and_mark(graph).has_value());
    EXPECT_EQ(graph, marked);
}

// Hand-written groups of 2 and 3 ranks in which one class passes messages round. Its distance -1
// is 1 in a group of 2 and 2 in a group of 3.
TEST(LockStep, HandlesGroupsOfSeveralSizesInOneClass) {
    Sketch sketch;
    const auto ring = sketch.listed_family("ring", {0, 2, 5}, {0, 1, 2, 3, 4});
    sketch.ranks(5, sketch.script().begin().send(ring, 1).recv(ring, -1).end());
    graph::ExecutionGraph graph = std::move(sketch).graph();

    ASSERT_TRUE(graph::check_consistent(graph).has_value());
    EXPECT_TRUE(find_defects(graph).empty());
    EXPECT_TRUE(prove_and_mark(graph).has_value());
}

TEST(LockStep, ReportsTheDefectsOfAGraphItCannotMark) {
    Sketch sketch;
    const auto pp = sketch.family("pp", {{2, 1}});
    sketch.ranks(2, sketch.script().send(pp, 1).recv(pp, 1));
    graph::ExecutionGraph graph = std::move(sketch).graph();
    const graph::ExecutionGraph before = graph;

    const Status status = prove_and_mark(graph);

    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::job_failed);
    EXPECT_THAT(status.error().message, testing::HasSubstr("the job cannot run to its end"));
    EXPECT_EQ(graph, before);
}

}  // namespace
}  // namespace prismllm::slicing
