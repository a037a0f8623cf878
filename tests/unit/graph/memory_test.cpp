// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/graph/memory.hpp"

#include <gtest/gtest.h>

namespace prismllm::graph {
namespace {

Op memory_op(OpKind kind, std::uint32_t tensor, std::uint32_t instance) {
    Op op;
    op.kind = kind;
    op.index = tensor;
    op.instance = instance;
    return op;
}

ExecutionGraph three_tensors() {
    ExecutionGraph graph;
    graph.tensors = {{"weight", TensorRole::weight, 100},
                     {"input", TensorRole::activation, 30},
                     {"scratch", TensorRole::workspace, 50}};
    return graph;
}

// Live bytes after each op: 100, 130, 180, 130, 160, 130, 100. The peak is 180, at op 2.
TEST(MemoryPeak, IsTheLargestSumOfLiveTensors) {
    const ExecutionGraph graph = three_tensors();
    const RankClass rank_class{
        "all",
        0,
        {memory_op(OpKind::allocate, 0, 0), memory_op(OpKind::allocate, 1, 1),
         memory_op(OpKind::allocate, 2, 2), memory_op(OpKind::release, 2, 2),
         memory_op(OpKind::allocate, 1, 3), memory_op(OpKind::release, 1, 1),
         memory_op(OpKind::release, 1, 3)}};

    const MemoryPeak peak = memory_peak(graph, rank_class);

    EXPECT_EQ(peak.bytes, 180);
    EXPECT_EQ(peak.op, 2);
    EXPECT_EQ(peak.of(TensorRole::weight), 100);
    EXPECT_EQ(peak.of(TensorRole::activation), 30);
    EXPECT_EQ(peak.of(TensorRole::workspace), 50);
    EXPECT_EQ(peak.of(TensorRole::gradient), 0);
    EXPECT_EQ(peak.end_bytes, 100);
}

TEST(MemoryPeak, NamesTheFirstOpThatReachesIt) {
    const ExecutionGraph graph = three_tensors();
    const RankClass rank_class{"all",
                               0,
                               {memory_op(OpKind::allocate, 2, 0), memory_op(OpKind::release, 2, 0),
                                memory_op(OpKind::allocate, 2, 1)}};

    EXPECT_EQ(memory_peak(graph, rank_class).op, 0);
}

TEST(MemoryPeak, OfAClassWithoutTensorsIsZero) {
    const MemoryPeak peak = memory_peak({}, {});

    EXPECT_EQ(peak.bytes, 0);
    EXPECT_EQ(peak.op, -1);
}

}  // namespace
}  // namespace prismllm::graph
