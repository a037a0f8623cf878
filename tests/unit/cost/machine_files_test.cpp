// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The machine files of inputs/ as the models see them.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "prismllm/cost/collective_model.hpp"
#include "prismllm/cost/device_model.hpp"
#include "prismllm/deck/deck.hpp"

#include "machines.hpp"

namespace prismllm::cost {
namespace {

namespace fs = std::filesystem;
using graph::DType;
using graph::Kernel;
using graph::KernelKind;
using graph::Provenance;
const fs::path inputs = fs::path{PRISMLLM_SOURCE_DIR} / "inputs";

std::vector<std::string> files_in(const char* folder) {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator{inputs / folder}) {
        if (entry.path().extension() == ".toml")
            files.push_back(entry.path().filename().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// A deck of a small job on the machine that the include lines name.
Expected<deck::Deck> job_on(const std::string& includes) {
    const std::string text = fmt::format(R"(schema_version = 1
include = [{}]
title = "machine"
[model]
name = "tiny"
layers = 4
hidden_size = 256
attention_heads = 8
vocab_size = 1000
norm = "layernorm"
[parallel]
world_size = 8
[training]
global_batch_size = 16
sequence_length = 128
)",
                                         includes);
    return deck::parse(text, "machine.toml", inputs);
}

Expected<deck::Deck> job_on_device(const std::string& file) {
    // later includes win: any cluster, then the device in question
    return job_on(fmt::format(R"("clusters/dgx_a100_80gb.toml", "devices/{}")", file));
}

target::Device device_of(const std::string& cluster) {
    const auto deck = job_on(fmt::format(R"("clusters/{}.toml")", cluster));
    EXPECT_TRUE(deck.has_value()) << deck.error().message;
    return deck ? deck->job.device : target::Device{};
}

Kernel example_of(KernelKind kind, DType dtype) {
    Kernel kernel{kind, dtype, {4096, 4096, 4096, 1}};
    kernel.flops = 2.0 * 4096 * 4096 * 4096;
    kernel.bytes = std::int64_t{3} * 2 * 4096 * 4096;
    if (kind == KernelKind::attention_forward || kind == KernelKind::attention_backward) {
        kernel.shape = {1, 4096, 4096, 16, 16, 128, 1};
    }
    return kernel;
}

TEST(MachineFiles, AllDevicesPriceEveryKindOfKernelWithinReason) {
    for (const std::string& file : files_in("devices")) {
        const auto deck = job_on_device(file);
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        const DeviceModel model{deck->job.device};
        for (int kind = 0; kind < graph::kernel_kind_count; ++kind) {
            const auto cost = model.cost(example_of(static_cast<KernelKind>(kind), DType::fp16));
            EXPECT_GT(cost.duration_ps, 2000000) << file << " kind " << kind;
            EXPECT_LT(cost.duration_ps, 10000000000) << file << " kind " << kind;
            EXPECT_NE(cost.provenance, Provenance::assumed) << file << " kind " << kind;
        }
    }
}

TEST(MachineFiles, NoDeviceBeatsItsDatasheetOnLargeProducts) {
    for (const std::string& file : files_in("devices")) {
        const auto deck = job_on_device(file);
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        const auto& device = deck->job.device;
        Kernel product{KernelKind::gemm, DType::fp16, {8192, 8192, 8192, 1}};
        const double seconds =
            static_cast<double>(DeviceModel{device}.cost(product).duration_ps) * 1e-12;
        const double share = 2.0 * 8192 * 8192 * 8192 / seconds / device.fp16_flops;

        EXPECT_GT(share, 0.5) << file;
        EXPECT_LT(share, 0.9) << file;
    }
}

TEST(MachineFiles, AllClustersPriceSmallAndLargeGroups) {
    for (const std::string& file : files_in("clusters")) {
        const auto deck = job_on(fmt::format(R"("clusters/{}")", file));
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        const auto& cluster = deck->job.cluster;
        const CollectiveModel model{deck->job.device, cluster};
        graph::Communication call;
        call.elements = 512 * 1024 * 1024;  // 1 GiB of bf16
        call.reduce = graph::ReduceOp::sum;
        const std::int64_t gpus = cluster.gpus_per_node;

        const auto inside = model.collective(call, {gpus, 1, gpus, 1});
        const auto across = model.collective(call, {16 * gpus, 16, gpus, 1});

        // between 100 and 500 GB/s of algorithm bandwidth inside, less across
        EXPECT_GT(inside.duration_ps, 2000000000) << file;
        EXPECT_LT(inside.duration_ps, 11000000000) << file;
        EXPECT_GT(across.duration_ps, inside.duration_ps) << file;
        EXPECT_LT(across.duration_ps, 4 * inside.duration_ps) << file;
    }
}

TEST(MachineFiles, MainDevicesAreCalibratedWhereItMatters) {
    const DeviceModel a100{device_of("dgx_a100_80gb")};
    const DeviceModel h100{device_of("dgx_h100")};
    for (const DeviceModel& model : {a100, h100}) {
        for (const auto kind :
             {KernelKind::gemm, KernelKind::attention_forward, KernelKind::norm_forward,
              KernelKind::norm_backward, KernelKind::residual_add, KernelKind::rope}) {
            EXPECT_EQ(model.cost(example_of(kind, DType::bf16)).provenance, Provenance::calibrated)
                << model.device().name << " " << graph::name_of(kind);
        }
    }
    EXPECT_EQ(h100.cost(example_of(KernelKind::gemm, DType::fp8)).provenance,
              Provenance::calibrated);
    // the backward kernel was measured on an H200
    EXPECT_EQ(h100.cost(example_of(KernelKind::attention_backward, DType::bf16)).provenance,
              Provenance::modelled);
}

TEST(MachineFiles, CarryTheFitsThatTheCalibrationTestsProve) {
    const auto same = [](const target::GemmFit& file, const target::GemmFit& proven) {
        EXPECT_DOUBLE_EQ(file.e256, proven.e256);
        EXPECT_DOUBLE_EQ(file.e128, proven.e128);
        EXPECT_DOUBLE_EQ(file.e64, proven.e64);
        EXPECT_DOUBLE_EQ(file.e6464, proven.e6464);
        EXPECT_DOUBLE_EQ(file.c_us, proven.c_us);
        EXPECT_DOUBLE_EQ(file.t0_us, proven.t0_us);
        EXPECT_DOUBLE_EQ(file.bw, proven.bw);
        EXPECT_DOUBLE_EQ(file.q, proven.q);
        EXPECT_DOUBLE_EQ(file.p, proven.p);
        EXPECT_DOUBLE_EQ(file.delta, proven.delta);
        EXPECT_DOUBLE_EQ(file.kf, proven.kf);
    };
    same(device_of("dgx_a100_80gb").gemm_bf16, testing::a100().gemm_bf16);
    same(device_of("dgx_h100").gemm_bf16, testing::h100().gemm_bf16);
}

}  // namespace
}  // namespace prismllm::cost
