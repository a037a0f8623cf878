// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_time.hpp"

#include <gtest/gtest.h>

namespace prismllm::cost {
namespace {

/// 100 SMs of 1 MFLOP/us each, 1 GB/ms of memory: figures a hand can follow.
constexpr DeviceRates plain_device{100, 100e12, 1e12};

target::GemmFit plain_fit() {
    target::GemmFit fit;
    fit.e256 = fit.e128 = fit.e64 = fit.e6464 = 1;
    fit.bw = 1;
    fit.q = 1;
    fit.p = 64;  // nearly max(math, memory)
    return fit;
}

TEST(WaveCount, RoundsUpOnlyAsStiffAsTheDeviceIs) {
    EXPECT_DOUBLE_EQ(wave_count(0.25, 1), 1);
    EXPECT_DOUBLE_EQ(wave_count(1.5, 1), 2);
    EXPECT_DOUBLE_EQ(wave_count(1.5, 0), 1.5);
    EXPECT_DOUBLE_EQ(wave_count(1.5, 0.4), 0.6 * 1.5 + 0.4 * 2);
}

TEST(GemmTime, IsMathOverPeakForAProductThatFillsTheDevice) {
    // 1280 x 1280 in 128 x 128 tiles: 100 tiles on 100 SMs, one wave. A tile costs
    // 2 * 128 * 128 * 4096 / 1e6 = 134.22 us; memory moves 2 * (2 * 1280 * 4096 + 1280^2) =
    // 24.2 MB in 24.2 us. Larger tiles: 5 x 10 = 50 of them cost twice as much each.
    const double time = gemm_time_us(plain_device, plain_fit(), {1280, 1280, 4096, 1});

    EXPECT_NEAR(time, 2.0 * 128 * 128 * 4096 / 1e6, 1e-6);
}

TEST(GemmTime, CountsBatchesAsTiles) {
    // 4 matrices of 640 x 640 have 4 x 25 = 100 tiles: one wave of 128-tiles again.
    const double time = gemm_time_us(plain_device, plain_fit(), {640, 640, 4096, 4});

    EXPECT_NEAR(time, 2.0 * 128 * 128 * 4096 / 1e6, 1e-6);
}

TEST(GemmTime, JumpsByAWaveOnAStiffDeviceAndBySharesOnASoftOne) {
    auto stiff = plain_fit();
    // only 128 x 128 tiles are worth using and K is too thin to split, so nothing blurs the step
    stiff.e256 = stiff.e64 = stiff.e6464 = 0.01;
    auto soft = stiff;
    soft.q = 0;

    // 1281 rows need an 11th row of tiles: 110 tiles, 2 waves against 1.1.
    EXPECT_NEAR(gemm_time_us(plain_device, stiff, {1281, 1280, 192, 1}) /
                    gemm_time_us(plain_device, stiff, {1280, 1280, 192, 1}),
                2.0, 1e-6);
    EXPECT_NEAR(gemm_time_us(plain_device, soft, {1281, 1280, 192, 1}) /
                    gemm_time_us(plain_device, soft, {1280, 1280, 192, 1}),
                1.1, 1e-6);
}

TEST(GemmTime, SplitsKWhereTilesAreFew) {
    // One 128 x 128 tile with K = 65536 on one SM would take 2147.5 us; 32 splits take 67.1 us
    // of math plus 1.5 us, with 8 * 32 * 128 * 128 = 4.2 MB more traffic.
    const double time = gemm_time_us(plain_device, plain_fit(), {128, 128, 65536, 1});

    EXPECT_LT(time, 150);
    EXPECT_GT(time, 2.0 * 128 * 64 * 2048 / 1e6);
}

TEST(GemmTime, IsBoundByMemoryForThinProducts) {
    // 6400 columns and K = 16384 with one row: 210 MB of weights, 209.7 us at 1 TB/s; 100 tiles
    // of 64 columns keep the memory fully busy. Math of a 64 x 64 tile: 134 us.
    const double time = gemm_time_us(plain_device, plain_fit(), {1, 6400, 16384, 1});

    EXPECT_NEAR(time, 209.8, 1.0);
}

TEST(GemmTime, QuantizesTheLeftOperandOnRequest) {
    auto fit = plain_fit();
    fit.tq_us = 2;
    fit.bwq = 0.5;
    const GemmShape ready{1280, 1280, 4096, 1, 1, 2};
    GemmShape raw = ready;
    raw.quantize = true;

    // 3 * 1280 * 4096 bytes at half of 1 TB/s = 31.457 us, plus 2 us
    EXPECT_NEAR(gemm_time_us(plain_device, fit, raw) - gemm_time_us(plain_device, fit, ready),
                2 + 3.0 * 1280 * 4096 / 0.5e6, 1e-9);
}

TEST(GemmTime, ThrottlesVeryLargeProducts) {
    auto fit = plain_fit();
    fit.delta = 0.2;
    // 2 * 4096^3 FLOPs is the half point: 1 + 0.2 / 2.
    const GemmShape shape{4096, 4096, 4096, 1};
    const auto cool = plain_fit();

    EXPECT_NEAR(gemm_time_us(plain_device, fit, shape) / gemm_time_us(plain_device, cool, shape),
                1.1, 1e-6);
}

target::AttentionFit plain_attention() {
    target::AttentionFit fit;
    fit.emax = 1;
    fit.q = 0;
    fit.bw = 1;
    fit.p = 64;
    return fit;
}

TEST(AttentionTime, IsFlopsOverPeakForLongFullAttention) {
    // 10 heads x 10 query tiles = 100 CTAs on 100 SMs; a CTA does 2 * 128 * 256 FLOPs a key
    // column: 1280 columns take 83.9 us at 1 MFLOP/us.
    const double time =
        attention_time_us(plain_device, plain_attention(), {1, 1280, 1280, 10, 10, 128, false});

    EXPECT_NEAR(time, 1280 * 2.0 * 128 * 256 / 1e6, 1e-6);
}

TEST(AttentionTime, ApproachesHalfUnderACausalMask) {
    const AttentionShape full{8, 12800, 12800, 10, 10, 128, false};
    AttentionShape causal = full;
    causal.causal = true;

    // mean columns (12800 + 128) / 2
    EXPECT_NEAR(attention_time_us(plain_device, plain_attention(), causal) /
                    attention_time_us(plain_device, plain_attention(), full),
                (12800.0 + 128) / 2 / 12800, 1e-9);
}

TEST(AttentionTime, IsNeverShorterThanTheLongestCausalTile) {
    // One head of 1280: ten tiles on 100 SMs; the last one sees all 1280 columns.
    const double time =
        attention_time_us(plain_device, plain_attention(), {1, 1280, 1280, 1, 1, 128, true});

    EXPECT_NEAR(time, 1280 * 2.0 * 128 * 256 / 1e6, 1e-6);
}

TEST(AttentionTime, SeesEarlierKeysOfAContextParallelChunk) {
    // 1280 queries against 12800 keys, the queries being the last ones: mean columns are
    // 12800 - 640 + 64.
    const AttentionShape chunk{8, 1280, 12800, 100, 100, 128, true};
    AttentionShape full = chunk;
    full.causal = false;

    EXPECT_NEAR(attention_time_us(plain_device, plain_attention(), chunk) /
                    attention_time_us(plain_device, plain_attention(), full),
                (12800.0 - 640 + 64) / 12800, 1e-9);
}

TEST(StreamingTime, IsBytesOverTheReachedBandwidth) {
    EXPECT_DOUBLE_EQ(streaming_time_us(plain_device, 1e6, 0.5, 3), 3 + 2);
}

}  // namespace
}  // namespace prismllm::cost
