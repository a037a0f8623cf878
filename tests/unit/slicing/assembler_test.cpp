// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "prismllm/slicing/assemble.hpp"

#include "sketch.hpp"

namespace prismllm::slicing {
namespace {

TEST(Assembler, MakesOneClassOfEqualSlicesAndMergesNeighbors) {
    Sketch sketch;
    const auto tp = sketch.family("tp", {{2, 1}}, {{3, 2}});
    const Script common = sketch.script().kernel().all_reduce(tp, 8);
    const Script last = sketch.script().all_reduce(tp, 8);

    sketch.ranks(2, common);
    sketch.ranks(2, common);
    sketch.ranks(1, last);
    sketch.ranks(1, common);
    const graph::ExecutionGraph graph = std::move(sketch).graph();

    ASSERT_EQ(graph.classes.size(), 2U);
    EXPECT_EQ(graph.classes[0].name, "ranks from 0");
    const std::vector<graph::RankRun> expected = {{0, 4, 0}, {4, 1, 1}, {5, 1, 0}};
    EXPECT_EQ(graph.rank_runs, expected);
    EXPECT_EQ(graph.world_size, 6);
    EXPECT_EQ(graph.communications.size(), 1U);
    EXPECT_TRUE(graph::check_consistent(graph).has_value());
}

TEST(Assembler, KeepsSlicesThatDifferInOneLabelApart) {
    Assembler assembler;
    graph::Op op;
    const std::int32_t first = assembler.add_slice("a", 0, {op, op});
    op.micro_batch = 1;

    EXPECT_NE(assembler.add_slice("b", 1, {op, op}), first);
    EXPECT_NE(assembler.add_slice("c", 1, {op}), first);
    op.micro_batch = -1;
    EXPECT_EQ(assembler.add_slice("d", 1, {op, op}), first);
}

}  // namespace
}  // namespace prismllm::slicing
