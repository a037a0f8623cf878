// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <gtest/gtest.h>

namespace prismllm::program {
namespace {

TEST(Kernels, GemmCountsTwoFlopsAMultiplyAddAndEachOperandOnce) {
    const Kernel k = gemm(DType::bf16, 2, 3, 5, GemmPass::forward, DType::bf16);

    EXPECT_EQ(k.flops, 2 * 2 * 3 * 5);
    EXPECT_EQ(k.bytes, 2 * (2 * 5 + 5 * 3 + 2 * 3));
}

TEST(Kernels, WeightGradientReadsAndWritesItsFp32Output) {
    const Kernel k = gemm(DType::bf16, 2, 3, 5, GemmPass::wgrad, DType::fp32);

    EXPECT_EQ(k.bytes, 2 * (2 * 5 + 5 * 3) + 2 * 4 * 2 * 3);
}

TEST(Kernels, CausalAttentionDoesHalfOfTheProducts) {
    // QK^T and PV: 2 products of 2*s*s*d FLOPs a head, half of them masked.
    const Kernel f = attention(KernelKind::attention_forward, DType::bf16, {1, 16, 2, 1, 8});
    const Kernel b = attention(KernelKind::attention_backward, DType::bf16, {1, 16, 2, 1, 8});

    EXPECT_EQ(f.flops, 2 * 2 * 2 * 16 * 16 * 8 / 2);
    EXPECT_EQ(b.flops, 2.5 * f.flops);
    EXPECT_EQ(f.bytes, 2 * 16 * 8 * (2 + 1 + 1 + 2));  // q, k, v, o
}

TEST(Kernels, AdamStreamsGradientMomentsAndMaster) {
    // read 4 + 4 + 4 + 4, write 4 + 4 + 4
    EXPECT_EQ(adam(10).bytes, 10 * 28);
}

}  // namespace
}  // namespace prismllm::program
