// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Whole training steps on a device.
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/program/training_step.hpp"

#include "device_executor.hpp"
#include "device_under_test.hpp"
#include "host_device.hpp"
#include "job_samples.hpp"

namespace prismllm::device {
namespace {

std::vector<std::byte> text() {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < 2048; ++i) {
        bytes.push_back(static_cast<std::byte>("words to learn by heart, "[i * i % 25]));
    }
    return bytes;
}

struct Run {
    std::vector<double> losses;
    std::int64_t peak_bytes = 0;
};

Run train(std::unique_ptr<Device> device, Timing timing, const target::Job& job, int steps) {
    const auto setup = program::make_setup(job).value();
    const std::vector<std::byte> bytes = text();
    DeviceExecutor executor{std::move(device), timing, setup, 0, job.native, bytes, nullptr};
    program::TrainingProgram program{setup, 0, executor};
    Run run;
    for (int step = 0; step < steps; ++step) {
        program.step();
        run.losses.push_back(executor.end_step());
    }
    run.peak_bytes = executor.peak_bytes();
    return run;
}

void expect_same(const target::Job& job, double tolerance) {
    constexpr int steps = 5;
    const Run host = train(make_host_device(), Timing::none, job, steps);
    for (const Timing timing : {Timing::none, Timing::each_kernel}) {
        const Run run = train(device_under_test(), timing, job, steps);
        EXPECT_EQ(run.peak_bytes, host.peak_bytes);
        for (int step = 0; step < steps; ++step) {
            const auto at = static_cast<std::size_t>(step);
            EXPECT_NEAR(run.losses[at], host.losses[at], tolerance) << "step " << step;
        }
    }
    EXPECT_LT(host.losses.back(), host.losses.front());
}

target::Job job(target::Precision precision) {
    target::Job job = target::tiny_job();
    job.training.precision = precision;
    job.native.learning_rate = 3e-3;
    return job;
}

TEST(Step, LlamaLike) {
    expect_same(job(target::Precision::fp32), 1e-4);
    expect_same(job(target::Precision::bf16), 3e-2);
}

TEST(Step, GptLike) {
    target::Job gpt = job(target::Precision::fp32);
    target::make_gpt_like(gpt);
    expect_same(gpt, 1e-4);
    gpt.training.hidden_dropout = 0.1;
    gpt.training.recompute = target::Recompute::full;
    expect_same(gpt, 1e-4);
    gpt.training.precision = target::Precision::fp16;
    expect_same(gpt, 3e-2);
}

}  // namespace
}  // namespace prismllm::device
