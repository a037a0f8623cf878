// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "streamed_device.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/base/error.hpp"
#include "prismllm/device/rank_executor.hpp"
#include "prismllm/program/training_step.hpp"

#include "device_executor.hpp"
#include "job_samples.hpp"
#include "lazy_device.hpp"

namespace prismllm::device {
namespace {

using program::Stream;

class StreamedDeviceTest : public testing::Test {
protected:
    StreamedDeviceTest() {
        auto driver = std::make_unique<LazyDriver>(left_);
        driver_ = driver.get();
        auto operations = std::make_unique<LazyOperations>(*driver);
        device_ =
            std::make_unique<StreamedDevice>(std::move(driver), std::move(operations), nullptr);
    }

    [[nodiscard]] View floats(std::int64_t elements) {
        void* data = device_->allocate(elements * 4, Device::Start::undefined);
        return {data, graph::DType::fp32, elements};
    }

    LazyDriver::Leftovers left_;
    LazyDriver* driver_ = nullptr;
    std::unique_ptr<StreamedDevice> device_;
};

TEST_F(StreamedDeviceTest, AStreamWaitsForTheEventOfAnother) {
    const View a = floats(1);
    const View b = floats(1);
    device_->use(Stream::tensor_comm);
    device_->operations().fill(3, a);
    device_->record(0);
    device_->operations().fill(4, a);
    device_->use(Stream::compute);
    device_->wait(0);
    device_->operations().copy(a, b);
    float value = 0;
    download(*device_, b, {&value, 1});
    EXPECT_EQ(value, 3);  // the other stream went no farther than its event
    device_->finish();
    download(*device_, a, {&value, 1});
    EXPECT_EQ(value, 4);
}

TEST_F(StreamedDeviceTest, AnEventBeforeTheLastFinishIsOver) {
    device_->record(0);
    device_->finish();
    device_->record(1);  // with the driver's event of the first one
    device_->use(Stream::pipeline);
    device_->wait(0);
    device_->wait(7);  // never recorded since
    device_->finish();
}

TEST_F(StreamedDeviceTest, MemoryIsGivenBackBehindItsLastUse) {
    const View a = floats(2);
    device_->operations().fill(5, a);
    const View b = floats(2);
    device_->operations().copy(a, b);
    device_->release(a.data);  // the copy has not been made yet
    std::vector<float> values(2);
    download(*device_, b, values);
    EXPECT_EQ(values, (std::vector<float>{5, 5}));
}

TEST_F(StreamedDeviceTest, MemoryIsZeroWhereAskedFor) {
    void* data = device_->allocate(8, Device::Start::zeros);
    std::vector<float> values(2, 1);
    download(*device_, {data, graph::DType::fp32, 2}, values);
    EXPECT_EQ(values, (std::vector<float>{0, 0}));
}

TEST_F(StreamedDeviceTest, TimesWhatIsQueuedInBetween) {
    const View a = floats(1);
    device_->begin_timing();
    device_->operations().fill(1, a);
    device_->operations().fill(2, a);
    EXPECT_EQ(device_->end_timing(), 3);  // two tasks and the mark of the end
}

TEST_F(StreamedDeviceTest, WhatIsCopiedInMayChangeAtOnce) {
    for (const std::size_t count : {std::size_t{2}, std::size_t{1} << 19}) {  // held, waited for
        const View a = floats(static_cast<std::int64_t>(count));
        std::vector<float> values(count, 1.5F);
        upload(*device_, values, a);
        std::ranges::fill(values, 0.0F);
        std::vector<float> back(count);
        download(*device_, a, back);
        EXPECT_EQ(back, std::vector<float>(count, 1.5F));
    }
}

TEST_F(StreamedDeviceTest, NoRoomIsNoCrash) {
    driver_->room = 16;
    EXPECT_EQ(device_->allocate(17, Device::Start::zeros), nullptr);
    EXPECT_NE(device_->allocate(16, Device::Start::zeros), nullptr);
}

TEST_F(StreamedDeviceTest, GivesEverythingBack) {
    const View a = floats(4);
    device_->record(0);
    device_->use(Stream::data_comm);
    device_->record(1);
    device_->release(a.data);
    device_.reset();
    EXPECT_EQ(left_.streams, 0U);
    EXPECT_EQ(left_.events, 0U);
    EXPECT_EQ(left_.blocks, 0U);
}

std::vector<std::byte> text() {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < 512; ++i) {
        bytes.push_back(static_cast<std::byte>("words to learn by heart, "[i * i % 25]));
    }
    return bytes;
}

std::vector<double> losses(RankExecutor& executor, const program::Setup& setup) {
    program::TrainingProgram program{setup, 0, executor};
    std::vector<double> all;
    for (int step = 0; step < 3; ++step) {
        program.step();
        all.push_back(executor.end_step());
    }
    return all;
}

/// Streams run as late as they may, memory begins as NaN: the program's events and start values
/// must suffice.
class LazyTraining : public testing::TestWithParam<Timing> {};

TEST_P(LazyTraining, ComputesTheLossesOfTheHost) {
    target::Job job = target::tiny_job();
    target::make_gpt_like(job);
    job.training.recompute = target::Recompute::full;
    const auto setup = program::make_setup(job).value();
    const Training training;
    const std::vector<std::byte> bytes = text();
    const auto host = make_rank_executor(setup, 0, training, bytes, nullptr);

    LazyDriver::Leftovers left;
    {
        auto driver = std::make_unique<LazyDriver>(left);
        auto operations = std::make_unique<LazyOperations>(*driver);
        DeviceExecutor lazy{
            std::make_unique<StreamedDevice>(std::move(driver), std::move(operations), nullptr),
            GetParam(),
            setup,
            0,
            training,
            bytes,
            nullptr};
        EXPECT_EQ(losses(lazy, setup), losses(*host, setup));
        EXPECT_EQ(lazy.peak_bytes(), host->peak_bytes());
        EXPECT_EQ(lazy.kernel_ps().has_value(), GetParam() == Timing::each_kernel);
    }
    EXPECT_EQ(left.blocks, 0U);
}

INSTANTIATE_TEST_SUITE_P(OfKernels, LazyTraining,
                         testing::Values(Timing::none, Timing::each_kernel));

}  // namespace
}  // namespace prismllm::device
