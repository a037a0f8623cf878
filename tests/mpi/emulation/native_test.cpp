// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// ctest label: mpi. Ranks on processes of their own compute what one rank computes.
#include "prismllm/emulation/native.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/device/rank_executor.hpp"
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
    const auto executor = device::make_rank_executor(setup, 0, job.native, bytes, nullptr);
    program::TrainingProgram program{setup, 0, *executor};
    std::vector<double> losses;
    for (std::int64_t step = 0; step < steps; ++step) {
        program.step();
        losses.push_back(executor->end_step());
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

TEST(Native, EndsOnAllProcessesWhereTheGradientIsNotFinite) {
    const auto world = Communicator::world();
    target::Job job = cut_job(world.size());
    job.native.steps = 100;
    job.native.learning_rate = 10;
    job.native.weight_decay = 1;  // weights are multiplied by -9 in each step

    const auto run = run_native(world, job, text(), never);

    ASSERT_TRUE(run.has_value()) << run.error().message;
    ASSERT_FALSE(run->outcome.has_value());
    EXPECT_EQ(run->outcome.error().code, ErrorCode::job_failed);
    const std::string& message = run->outcome.error().message;
    EXPECT_NE(message.find(" of step "), std::string::npos) << message;
    EXPECT_NE(message.find("native.learning_rate"), std::string::npos) << message;
    EXPECT_LT(run->losses.size(), 100U);
    for (const double loss : run->losses) {
        EXPECT_TRUE(std::isfinite(loss));
    }
    EXPECT_EQ(run->step_wall_s.size(), run->losses.size());
}

TEST(Native, EndsOnAllProcessesWhereTheLossIsNotFinite) {
    const auto world = Communicator::world();
    target::Job job = cut_job(world.size());
    job.training.precision = target::Precision::fp16;
    job.native.learning_rate = 10;

    const auto run = run_native(world, job, text(), never);

    ASSERT_TRUE(run.has_value()) << run.error().message;
    ASSERT_FALSE(run->outcome.has_value());
    EXPECT_EQ(run->outcome.error().code, ErrorCode::job_failed);
    EXPECT_NE(run->outcome.error().message.find("loss of step 2 of 4 is NaN"), std::string::npos)
        << run->outcome.error().message;
    EXPECT_EQ(run->losses.size(), 1U);
}

TEST(Native, CountsUpdatesThatFp16Skips) {
    const auto world = Communicator::world();
    target::Job job = cut_job(world.size());
    job.training.precision = target::Precision::fp16;
    job.training.fp32_grad_reduce = false;
    job.native.loss_scale = 1e9;  // beyond the range of fp16

    const auto run = run_native(world, job, text(), never);

    ASSERT_TRUE(run.has_value()) << run.error().message;
    EXPECT_TRUE(run->outcome.has_value());
    EXPECT_EQ(run->skipped_updates, steps);
    EXPECT_EQ(run->losses.size(), static_cast<std::size_t>(steps));
}

TEST(Native, RefusesAllThatItCannotAtOnce) {
    target::Job job = tiny_job();
    job.parallel.context = 2;  // the world is one rank, and the step lacks it
    job.model.norms_per_layer = 3;
    job.model.vocab_size = 100;
    job.model.positions = target::PositionKind::alibi;

    const Status status = check_native(job, 3, fail(ErrorCode::bad_deck, "no text"));

    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::bad_deck);
    for (const char* part : {"parallel.world_size 1 is not", "parallel.context_parallel above 1",
                             "model.norms_per_layer", "no text", "model.vocab_size 100",
                             "Use \"rope\", \"learned\" or \"none\"", "mpirun -np 1"}) {
        EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
    }
}

TEST(Native, CopiesOfKeyHeadsAreNoneWhereEachRankHasItsOwn) {
    target::Job job = tiny_job();
    job.model.kv_heads = 0;  // as many as attention heads
    job.parallel.kv_replication = true;

    EXPECT_TRUE(check_native(job, 1, 1024).has_value());
}

TEST(Native, TellsHowToCutTheJobIntoTheProcessesThatRun) {
    target::Job job = tiny_job();
    job.training.global_batch_size = 6;
    const auto told = [&](std::int64_t processes) {
        const Status status = check_native(job, processes, 1024);
        EXPECT_EQ(status.error().code, ErrorCode::resources);
        return status.error().message;
    };

    EXPECT_NE(told(3).find("mpirun -np 1, or cut it into 3: add --set parallel.world_size=3."),
              std::string::npos)
        << told(3);
    // 6 samples do not go over 4 replicas, but over 2 of 2 stages
    EXPECT_NE(told(4).find("--set parallel.world_size=4 --set parallel.tensor_parallel=1 --set "
                           "parallel.pipeline_parallel=2."),
              std::string::npos)
        << told(4);
    EXPECT_NE(told(7).find("set parallel.world_size to 7, and"), std::string::npos) << told(7);
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
