// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/cost/device_model.hpp"

#include <gtest/gtest.h>

#include "machines.hpp"

namespace prismllm::cost {
namespace {

using graph::DType;
using graph::Kernel;
using graph::KernelKind;
using graph::Provenance;

Kernel gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType dtype = DType::bf16) {
    Kernel kernel{KernelKind::gemm, dtype, {m, n, k, 1}};
    kernel.flops = 2.0 * static_cast<double>(m * n * k);
    return kernel;
}

Kernel streaming(KernelKind kind, std::int64_t bytes) {
    Kernel kernel{kind, DType::bf16, {1024, 1024}};
    kernel.bytes = bytes;
    return kernel;
}

double time_us(const graph::Cost& cost) {
    return static_cast<double>(cost.duration_ps) * 1e-6;
}

TEST(DeviceModel, GivesAWorkedA100Product) {
    // m = n = k = 4096, bf16. Tile 256 x 128: 512 tiles / 108 SMs = 4.74, 5 waves. F = F0, so
    // throttle 1.0605. A tile: 2*256*128*(4096+91.3) / (312e6/108*0.913) * 1.0605 + 1.01
    // = 104.05 * 1.0605 + 1.01 = 111.35 us -> 556.8 us math. Memory: 100.66 MB / 1484.4 GB/s =
    // 67.8 us, which p = 4.79 hides. Plus 3.35.
    const DeviceModel model{testing::a100()};

    const auto cost = model.cost(gemm(4096, 4096, 4096));

    EXPECT_NEAR(time_us(cost), 560.1, 1.0);
    EXPECT_EQ(cost.provenance, Provenance::calibrated);
}

TEST(DeviceModel, SlowsLargeProductsByTheSustainedFactor) {
    auto device = testing::h100();
    const DeviceModel burst{device};
    device.gemm_bf16.sustained = 1.1;
    const DeviceModel sustained{device};

    // 2^34 multiply-adds are large, half of that is not
    EXPECT_NEAR(time_us(sustained.cost(gemm(4096, 4096, 1024))) /
                    time_us(burst.cost(gemm(4096, 4096, 1024))),
                1.1, 1e-6);
    EXPECT_EQ(sustained.cost(gemm(4096, 4096, 512)), burst.cost(gemm(4096, 4096, 512)));
}

TEST(DeviceModel, CarriesAFitOverToADtypeWithoutOne) {
    const DeviceModel model{testing::h100()};

    const auto bf16 = model.cost(gemm(8192, 8192, 8192));
    const auto fp16 = model.cost(gemm(8192, 8192, 8192, DType::fp16));
    const auto fp8 = model.cost(gemm(8192, 8192, 8192, DType::fp8));

    EXPECT_EQ(fp16.duration_ps, bf16.duration_ps);
    EXPECT_EQ(fp16.provenance, Provenance::modelled);
    EXPECT_NEAR(time_us(fp8) / time_us(bf16), 0.5, 0.02);  // twice the peak
    EXPECT_EQ(fp8.provenance, Provenance::modelled);
}

TEST(DeviceModel, CallsAFitOfAnotherDeviceModelled) {
    auto device = testing::a100();
    device.gemm_bf16.source = "carried over from A100 40GB: cuBLAS";

    EXPECT_EQ(DeviceModel{device}.cost(gemm(4096, 4096, 4096)).provenance, Provenance::modelled);
}

TEST(DeviceModel, QuantizesForForwardAndDataGradientOnly) {
    auto device = testing::h100();
    device.gemm_fp8 = device.gemm_bf16;
    device.gemm_fp8.tq_us = 1.74;
    device.gemm_fp8.bwq = 0.525;
    const DeviceModel model{device};
    Kernel kernel = gemm(8192, 4096, 4096, DType::fp8);
    const double forward = time_us(model.cost(kernel));
    kernel.shape[4] = 1;
    const double data_gradient = time_us(model.cost(kernel));
    kernel.shape[4] = 2;
    const double weight_gradient = time_us(model.cost(kernel));

    EXPECT_DOUBLE_EQ(forward, data_gradient);
    // 1.74 us + 3 * 8192 * 4096 B / (3352 GB/s * 0.525)
    EXPECT_NEAR(forward - weight_gradient, 1.74 + 3.0 * 8192 * 4096 / (3352e3 * 0.525), 1e-5);
}

TEST(DeviceModel, TakesTrafficOfAnAccumulatingWeightGradientFromTheKernel) {
    const DeviceModel model{testing::a100()};
    Kernel thin = gemm(8192, 8192, 64);
    const double plain = time_us(model.cost(thin));
    thin.bytes = 2 * (8192 + 8192) * 64 + 8 * 8192 * 8192;  // fp32 read and written

    // 137 MB against 541 MB: bound by memory, about 4 times as long
    EXPECT_GT(time_us(model.cost(thin)) / plain, 2.5);
}

TEST(DeviceModel, NeverFallsBelowTheLaunchGap) {
    auto device = testing::a100();
    device.elementwise = {0.87, 0, "measured"};
    const DeviceModel model{device};

    for (int kind = 0; kind < graph::kernel_kind_count; ++kind) {
        Kernel tiny{static_cast<KernelKind>(kind), DType::bf16, {1, 1, 1, 1, 1, 1, 0}};
        tiny.bytes = 2;
        EXPECT_GE(time_us(model.cost(tiny)), 2.6) << "kind " << kind;
    }
}

TEST(DeviceModel, UsesTheFitOfTheKindAndElseTheNearest) {
    auto device = testing::a100();
    device.elementwise = {0.8, 0, "measured"};
    device.norm_forward = {0.5, 3, "measured"};
    const DeviceModel model{device};
    constexpr std::int64_t bytes = 203900000;  // 100 us at the datasheet rate

    const auto add = model.cost(streaming(KernelKind::residual_add, bytes));
    const auto norm = model.cost(streaming(KernelKind::norm_forward, bytes));
    const auto norm_gradient = model.cost(streaming(KernelKind::norm_backward, bytes));
    const auto rope = model.cost(streaming(KernelKind::rope, bytes));

    EXPECT_NEAR(time_us(add), 125, 1e-5);
    EXPECT_EQ(add.provenance, Provenance::calibrated);
    EXPECT_NEAR(time_us(norm), 203, 1e-5);
    EXPECT_EQ(norm_gradient, (graph::Cost{norm.duration_ps, Provenance::modelled}));
    EXPECT_EQ(rope, (graph::Cost{add.duration_ps, Provenance::modelled}));
}

TEST(DeviceModel, FallsBackToTheRooflineAndSaysSo) {
    auto device = testing::a100();
    device.gemm_bf16.source.clear();
    const DeviceModel model{device};

    const auto product = model.cost(gemm(8192, 8192, 8192));
    const auto softmax = model.cost(streaming(KernelKind::softmax_forward, 203900000));

    EXPECT_EQ(product.provenance, Provenance::assumed);
    EXPECT_NEAR(time_us(product), 2.6 + 2.0 * 8192 * 8192 * 8192 / (312e6 * 0.6), 0.01);
    EXPECT_EQ(softmax.provenance, Provenance::assumed);
    EXPECT_NEAR(time_us(softmax), 2.6 + 100 / 0.75, 1e-4);
}

TEST(DeviceModel, MakesBackwardAttentionFromForwardByTheMeasuredRatio) {
    auto device = testing::h100();
    device.attention_forward = {0.679, 0.38, 19.8, 0.77, 0.98, 4.6, 72, "chart"};
    const DeviceModel model{device};
    const Kernel forward{
        KernelKind::attention_forward, DType::bf16, {1, 8192, 8192, 16, 2, 128, 1}};
    Kernel backward = forward;
    backward.kind = KernelKind::attention_backward;

    EXPECT_EQ(model.cost(forward).provenance, Provenance::calibrated);
    EXPECT_NEAR(time_us(model.cost(backward)) / time_us(model.cost(forward)), 3.0, 1e-6);
    EXPECT_EQ(model.cost(backward).provenance, Provenance::modelled);
}

TEST(DeviceModel, PricesUnfusedAttentionOf2021) {
    // 12 heads x micro-batch 4 of 2048 x 2048 scores: batched products and a softmax over 201 M
    // elements (403 MB read, 403 MB written at 0.618 of 2039 GB/s = 639 us).
    auto device = testing::a100();
    device.softmax = {0.618, 0, "trace"};
    const DeviceModel model{device};
    Kernel scores = gemm(2048, 2048, 128);
    scores.shape[3] = 48;
    Kernel softmax{KernelKind::softmax_forward, DType::bf16, {48 * 2048, 2048}};
    softmax.bytes = std::int64_t{2} * 2 * 48 * 2048 * 2048;

    const double scores_us = time_us(model.cost(scores));
    const double softmax_us = time_us(model.cost(softmax));

    // 51.5 GFLOP: 165 us at peak; writing 403 MB takes at least 198 us
    EXPECT_GT(scores_us, 198);
    EXPECT_LT(scores_us, 500);
    EXPECT_NEAR(softmax_us, 639, 1);
}

TEST(PeakFlops, IsTheDatasheetValueOfThePrecision) {
    EXPECT_DOUBLE_EQ(peak_flops(testing::h100(), target::Precision::bf16), 989.4e12);
    EXPECT_DOUBLE_EQ(peak_flops(testing::h100(), target::Precision::fp8), 1978.9e12);
    EXPECT_DOUBLE_EQ(peak_flops(testing::a100(), target::Precision::fp8), 0);
}

}  // namespace
}  // namespace prismllm::cost
