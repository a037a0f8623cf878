// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/program/kernels.hpp"

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

TEST(Kernels, NormsReadAndWriteTheTensorAndBackwardReadsTheInputToo) {
    EXPECT_EQ(norm(KernelKind::norm_forward, DType::bf16, 3, 8).bytes, 2 * 2 * 3 * 8);
    EXPECT_EQ(norm(KernelKind::norm_backward, DType::bf16, 3, 8).bytes, 3 * 2 * 3 * 8);
    // square, sum, scale, and the same again for mean and shift: five a value
    EXPECT_EQ(norm(KernelKind::norm_forward, DType::bf16, 3, 8).flops, 5 * 3 * 8);
}

TEST(Kernels, EmbeddingReadsRowsAndItsGradientTouchesEachRowOnceAtBest) {
    constexpr std::int64_t tokens = 7, columns = 16;

    EXPECT_EQ(embedding(KernelKind::embedding_forward, DType::bf16, tokens, columns, 100).bytes,
              2 * (tokens + tokens) * columns);
    // more rows than tokens: gradient in, as many rows of the table in and out
    EXPECT_EQ(embedding(KernelKind::embedding_backward, DType::bf16, tokens, columns, 100).bytes,
              2 * (tokens + tokens + tokens) * columns);
    // fewer: all rows of the table
    EXPECT_EQ(embedding(KernelKind::embedding_backward, DType::bf16, tokens, columns, 4).bytes,
              2 * (tokens + 4 + 4) * columns);
    EXPECT_EQ(embedding(KernelKind::embedding_forward, DType::bf16, tokens, columns, 4).flops, 0);
}

TEST(Kernels, CrossEntropyMovesTwentyEightBytesASixteenBitLogit) {
    constexpr std::int64_t rows = 3, vocabulary = 10;
    const auto part = [&](CrossEntropyPart p) {
        return cross_entropy(p, DType::bf16, rows, vocabulary);
    };

    // 16 bit in, fp32 out and in again; fp32 in and out; fp32 in and out, 16 bit out
    EXPECT_EQ(part(CrossEntropyPart::maximum).bytes, rows * vocabulary * (2 + 4 + 4));
    EXPECT_EQ(part(CrossEntropyPart::exponentials).bytes, rows * vocabulary * (4 + 4));
    EXPECT_EQ(part(CrossEntropyPart::gradient).bytes, rows * vocabulary * (4 + 4 + 2));
    // compare; subtract, exponential, add; divide, subtract
    EXPECT_EQ(part(CrossEntropyPart::maximum).flops, rows * vocabulary);
    EXPECT_EQ(part(CrossEntropyPart::exponentials).flops, 3 * rows * vocabulary);
    EXPECT_EQ(part(CrossEntropyPart::gradient).flops, 2 * rows * vocabulary);
    EXPECT_EQ(part(CrossEntropyPart::gradient).kind, KernelKind::cross_entropy_backward);
}

TEST(Kernels, UnfusedAttentionDoesTwoProductsForwardAndFourBackward) {
    // Each is 2 s^2 d FLOPs a head. Scores are [s, s], all else [s, d]; traffic is the same sum.
    constexpr std::int64_t heads = 3, s = 16, d = 4;
    for (std::int64_t p = 1; p <= 6; ++p) {
        const Kernel k =
            attention_product(static_cast<AttentionProduct>(p), DType::bf16, heads, s, d);
        const bool makes_scores = p == 1 || p == 3;

        EXPECT_EQ(k.flops, 2 * heads * s * s * d);
        EXPECT_EQ(k.bytes, 2 * heads * (s * s + 2 * s * d));
        EXPECT_EQ(k.shape[1], makes_scores ? s : d);
        EXPECT_EQ(k.shape[4], p <= 2 ? 0 : 1);  // forward, dgrad
        EXPECT_EQ(k.shape[5], p);
    }
}

TEST(Kernels, DescriptionsTellOperationsApart) {
    EXPECT_NE(rope(Direction::forward, DType::bf16, 4, 8),
              rope(Direction::backward, DType::bf16, 4, 8));
    EXPECT_NE(elementwise(Operation::clip, DType::fp32, 8, 1, 1),
              elementwise(Operation::unscale, DType::fp32, 8, 1, 1));
}

TEST(Kernels, CopiesAndSumsCountBothPrecisions) {
    EXPECT_EQ(copy(DType::fp32, DType::bf16, 10).bytes, 10 * (4 + 2));
    // bf16 gradient in, fp32 main gradient in and out
    EXPECT_EQ(accumulate(DType::bf16, DType::fp32, 10).bytes, 10 * (2 + 4 + 4));
    EXPECT_EQ(elementwise(Operation::unscale, DType::fp32, 10, 1, 1).bytes, 10 * (4 + 4));
}

TEST(Kernels, DropoutWritesOrReadsAByteMask) {
    EXPECT_EQ(dropout(Dropped::hidden_states, DType::fp16, 10, DropoutMask::written).bytes,
              10 * (2 + 2 + 1));
    EXPECT_EQ(dropout(Dropped::hidden_states, DType::fp16, 10, DropoutMask::read).bytes,
              10 * (2 + 2 + 1));
    EXPECT_EQ(residual_add(DType::fp16, 10, DropoutMask::written).bytes, 10 * (3 * 2 + 1));
    EXPECT_EQ(residual_add(DType::fp16, 10, DropoutMask::none).bytes, 10 * 3 * 2);
}

}  // namespace
}  // namespace prismllm::program
