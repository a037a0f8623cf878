// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/graph/kernel.hpp"

#include <gtest/gtest.h>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {
namespace {

TEST(SizeOf, IsTheWidthOfTheType) {
    EXPECT_EQ(size_of(DType::fp32), 4);
    EXPECT_EQ(size_of(DType::bf16), 2);
    EXPECT_EQ(size_of(DType::fp16), 2);
    EXPECT_EQ(size_of(DType::fp8), 1);
    EXPECT_EQ(size_of(DType::int64), 8);
    EXPECT_EQ(size_of(DType::int32), 4);
    EXPECT_EQ(size_of(DType::uint8), 1);
}

Communication call(CollectiveKind kind, DType dtype, std::int64_t elements) {
    Communication c;
    c.kind = kind;
    c.dtype = dtype;
    c.elements = elements;
    return c;
}

TEST(PayloadBytes, CountsTheWholeBufferOfAnAllReduce) {
    EXPECT_EQ(payload_bytes(call(CollectiveKind::all_reduce, DType::bf16, 1000), 8), 2000);
}

// NCCL's count is what one rank contributes (all_gather) or gets (reduce_scatter); the larger
// side of the call is 8 times that: 8 x 1000 x 4 bytes.
TEST(PayloadBytes, CountsTheLargerSideOfGatherAndScatter) {
    EXPECT_EQ(payload_bytes(call(CollectiveKind::all_gather, DType::fp32, 1000), 8), 32000);
    EXPECT_EQ(payload_bytes(call(CollectiveKind::reduce_scatter, DType::fp32, 1000), 8), 32000);
}

TEST(PayloadBytes, OfASendDoesNotDependOnTheGroup) {
    EXPECT_EQ(payload_bytes(call(CollectiveKind::send, DType::fp16, 7), 16), 14);
}

TEST(NameOf, CoversEveryEnumeratorAndSurvivesValuesOutsideTheTable) {
    for (int i = 0; i < kernel_kind_count; ++i) {
        EXPECT_NE(name_of(static_cast<KernelKind>(i)), "unknown") << i;
    }
    EXPECT_EQ(name_of(KernelKind::gemm), "gemm");
    EXPECT_EQ(name_of(KernelKind::adam), "adam");
    EXPECT_EQ(name_of(static_cast<KernelKind>(200)), "unknown");
    EXPECT_EQ(name_of(CollectiveKind::recv), "recv");
    EXPECT_EQ(name_of(ReduceOp::max), "max");
    EXPECT_EQ(name_of(DType::uint8), "uint8");
    EXPECT_EQ(name_of(OpKind::wait), "wait");
    EXPECT_EQ(name_of(Phase::other), "other");
    EXPECT_EQ(name_of(TensorRole::communication), "communication");
    EXPECT_EQ(name_of(FamilyKind::other), "other");
    EXPECT_EQ(name_of(Provenance::assumed), "assumed");
}

}  // namespace
}  // namespace prismllm::graph
