// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// ctest label: mpi. Ranks on processes of their own compute what one rank computes.
#include "prismllm/emulation/native.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/device/host_executor.hpp"
#include "prismllm/program/setup.hpp"
#include "prismllm/program/training_step.hpp"

#include "job_samples.hpp"

namespace prismllm::emulation {
namespace {

using comm::Communicator;

constexpr std::int64_t steps = 4;

target::Job tiny_job() {
    target::Job job = target::tiny_job();
    job.model.tied_embeddings = true;
    job.native.steps = steps;
    return job;
}

/// Two ranks cut the layers' matrices, four the layers too, eight the batch too.
target::Job cut_job(std::int64_t ranks) {
    target::Job job = tiny_job();
    job.parallel.world_size = ranks;
    job.parallel.tensor = ranks >= 2 ? 2 : 1;
    job.parallel.sequence = ranks >= 2;
    job.parallel.pipeline = ranks >= 4 ? 2 : 1;
    job.parallel.virtual_pipeline = ranks >= 4 ? 2 : 1;
    job.parallel.zero_stage = ranks >= 8 ? 1 : 0;
    job.parallel.overlap_grad_reduce = job.parallel.overlap_param_gather = ranks >= 8;
    return job;
}

std::vector<std::byte> text() {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < 1024; ++i) {
        bytes.push_back(static_cast<std::byte>("a small text to learn, again and again. "[i % 40]));
    }
    return bytes;
}

std::vector<double> losses_of_one_rank(const std::vector<std::byte>& bytes) {
    const target::Job job = tiny_job();
    const auto setup = program::make_setup(job).value();
    device::HostExecutor executor{setup, 0, job.native, bytes, nullptr};
    program::TrainingProgram program{setup, 0, executor};
    std::vector<double> losses;
    for (std::int64_t step = 0; step < steps; ++step) {
        program.step();
        losses.push_back(executor.end_step());
    }
    return losses;
}

bool never(std::int64_t, double, double) {
    return false;
}

TEST(Native, ProcessesComputeTheLossesOfOneRank) {
    const auto world = Communicator::world();
    const auto bytes = text();

    const auto run = run_native(world, cut_job(world.size()), bytes, never);

    ASSERT_TRUE(run.has_value()) << run.error().message;
    const std::vector<double> expected = losses_of_one_rank(bytes);
    ASSERT_EQ(run->losses.size(), expected.size());
    for (std::size_t step = 0; step < expected.size(); ++step) {
        // Sums in another order: some 1e-7 a step, which Adam enlarges where gradients are small.
        EXPECT_NEAR(run->losses[step], expected[step], 2e-5 * expected[step]);
    }
    EXPECT_LT(run->losses.back(), run->losses.front());
    EXPECT_EQ(run->step_wall_s.size(), expected.size());
    EXPECT_EQ(run->peak_bytes.size(),
              world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0U);
}

TEST(Native, ASecondRunGivesTheSameBits) {
    const auto world = Communicator::world();
    const auto bytes = text();

    const auto first = run_native(world, cut_job(world.size()), bytes, never);
    const auto second = run_native(world, cut_job(world.size()), bytes, never);

    EXPECT_EQ(first->losses, second->losses);
}

TEST(Native, StopsOnAllProcessesWhereOneIsToldTo) {
    const auto world = Communicator::world();

    const auto run =
        run_native(world, cut_job(world.size()), text(), [&](std::int64_t step, double, double) {
            return step == 2 && world.rank() == world.size() - 1;
        });

    ASSERT_FALSE(run.has_value());
    EXPECT_EQ(run.error().code, ErrorCode::interrupted);
    EXPECT_NE(run.error().message.find("after step 2 of 4"), std::string::npos);
}

TEST(Native, RefusesAnotherNumberOfProcesses) {
    const auto world = Communicator::world();
    target::Job job = tiny_job();
    job.parallel.world_size = 2 * world.size();
    job.training.global_batch_size = 2 * world.size();

    const auto run = run_native(world, job, text(), never);

    ASSERT_FALSE(run.has_value());
    EXPECT_EQ(run.error().code, ErrorCode::resources);
    EXPECT_NE(run.error().message.find("mpirun -np " + std::to_string(2 * world.size())),
              std::string::npos);
}

TEST(Native, RefusesATextShorterThanASample) {
    const auto world = Communicator::world();
    const std::vector<std::byte> bytes(16);

    const auto run = run_native(world, cut_job(world.size()), bytes, never);

    ASSERT_FALSE(run.has_value());
    EXPECT_EQ(run.error().code, ErrorCode::bad_deck);
}

}  // namespace
}  // namespace prismllm::emulation
