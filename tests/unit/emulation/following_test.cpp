// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// A real rank that leaves the program of the graph is stopped where it does, and told why.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/program/recording.hpp"

#include "following_executor.hpp"

namespace prismllm::emulation {
namespace {

using graph::CollectiveKind;
using program::Stream;
using testing::HasSubstr;

graph::Kernel gemm() {
    graph::Kernel kernel;
    kernel.kind = graph::KernelKind::gemm;
    kernel.shape = {4, 4, 4, 1};
    return kernel;
}

graph::Communication all_reduce() {
    graph::Communication call;
    call.reduce = graph::ReduceOp::sum;
    call.elements = 16;
    return call;
}

/// A weight, then a step: kernel, two calls, an activation that comes and goes.
void play(program::Executor& executor, bool setup, bool step) {
    if (setup) {
        (void)executor.allocate("weight", graph::TensorRole::weight, graph::DType::fp32, 8);
    }
    if (step) {
        const program::Buffer buffer =
            executor.allocate("activation", graph::TensorRole::activation, graph::DType::bf16, 16);
        executor.launch(Stream::compute, gemm(), {}, {});
        const program::Event ready = executor.record(Stream::compute);
        executor.wait(Stream::tensor_comm, ready);
        executor.communicate(Stream::tensor_comm, all_reduce(), buffer, buffer);
        executor.communicate(Stream::tensor_comm, all_reduce(), buffer, buffer);
        executor.release(buffer);
    }
}

/// Four ranks in two tensor groups that all do the above.
graph::ExecutionGraph recorded() {
    graph::Interner interner;
    program::ModelExecutor model;
    program::RecordingExecutor recorder{model, interner};
    play(recorder, true, true);
    graph::ExecutionGraph graph;
    graph.world_size = 4;
    graph.streams = program::stream_names();
    graph.classes = {{"stage 0", 0, recorder.take()}};
    graph.rank_runs = {{0, 4, 0}};
    graph.kernels = interner.kernels();
    graph.communications = interner.communications();
    graph.tensors = interner.tensors();
    graph::Family tp;
    tp.name = "tp";
    tp.members = {{2, 1}};
    tp.groups = {{2, 2}};
    graph.families = {tp};
    return graph;
}

class Following : public testing::Test {
protected:
    /// What a rank is told that does this in its first step.
    template <class Step>
    std::string told(Step step) {
        play(rank_, true, false);
        rank_.begin_step();
        try {
            step();
        } catch (const SystemError& error) {
            EXPECT_EQ(error.code(), ErrorCode::job_failed);
            return error.what();
        }
        return "nothing";
    }
    /// The step as far as its first call.
    program::Buffer up_to_the_call() {
        const program::Buffer buffer =
            rank_.allocate("activation", graph::TensorRole::activation, graph::DType::bf16, 16);
        rank_.launch(Stream::compute, gemm(), {}, {});
        rank_.wait(Stream::tensor_comm, rank_.record(Stream::compute));
        return buffer;
    }

    graph::ExecutionGraph graph_ = recorded();
    program::ModelExecutor model_;
    std::int64_t bytes_ = 0;
    FollowingExecutor rank_{model_, graph_, 3, {[this] { return ++bytes_; }, {}}};
};

TEST_F(Following, GoesThroughAnyNumberOfSteps) {
    Pace pace;
    rank_.set_pace(&pace);
    play(rank_, true, false);
    for (int step = 0; step < 3; ++step) {
        rank_.begin_step();
        play(rank_, false, true);
        rank_.end_step();
    }
    EXPECT_EQ(rank_.steps(), 3);
    EXPECT_EQ(rank_.allocated_bytes().front(), 1);  // the weight, once
    EXPECT_EQ(rank_.allocated_bytes().back(), bytes_);
    EXPECT_GT(rank_.kernel_ps()[2], 0);
    EXPECT_EQ(rank_.kernel_ps()[1], 0);
}

TEST_F(Following, NamesAnotherCollectiveAndWhatPeersExpect) {
    const std::string message = told([&] {
        const program::Buffer buffer = up_to_the_call();
        rank_.communicate(Stream::tensor_comm, all_reduce(), buffer, buffer);
        graph::Communication other = all_reduce();
        other.kind = CollectiveKind::reduce_scatter;
        rank_.communicate(Stream::tensor_comm, other, buffer, buffer);
    });
    EXPECT_THAT(message, HasSubstr("real rank 3 leaves the job in iteration 0"));
    EXPECT_THAT(message, HasSubstr("it issues reduce_scatter of 16 bf16 (sum)"));
    EXPECT_THAT(message, HasSubstr("its peers expect all_reduce of 16 bf16 (sum)"));
    EXPECT_THAT(message, HasSubstr("tp[1] (ranks 2 and 3)"));
    EXPECT_THAT(message, HasSubstr("call 1 of its communicator"));
}

TEST_F(Following, NamesACallOfAnotherSize) {
    EXPECT_THAT(told([&] {
                    const program::Buffer buffer = up_to_the_call();
                    graph::Communication other = all_reduce();
                    other.elements = 17;
                    rank_.communicate(Stream::tensor_comm, other, buffer, buffer);
                }),
                HasSubstr("it issues all_reduce of 17 bf16"));
}

TEST_F(Following, NamesAStepThatEndsEarlyOrLate) {
    EXPECT_THAT(told([&] {
                    up_to_the_call();
                    rank_.end_step();
                }),
                HasSubstr("it issues the end of the step, where its peers expect all_reduce"));
    rank_.begin_step();
    EXPECT_THROW(
        {
            play(rank_, false, true);
            play(rank_, false, true);
        },
        SystemError);
}

TEST_F(Following, NamesOtherKernelsTensorsStreamsEventsAndBatches) {
    EXPECT_THAT(told([&] {
                    (void)rank_.allocate("activation", graph::TensorRole::activation,
                                         graph::DType::bf16, 32);
                }),
                HasSubstr("'activation' (64 bytes), where its peers expect allocate of tensor"));
    const auto fails = [&](auto step) {
        rank_.begin_step();
        EXPECT_THROW(step(), SystemError);
    };
    fails([&] {
        (void)rank_.allocate("activation", graph::TensorRole::activation, graph::DType::bf16, 16);
        graph::Kernel other = gemm();
        other.shape[0] = 5;
        rank_.launch(Stream::compute, other, {}, {});
    });
    fails([&] {
        (void)rank_.allocate("activation", graph::TensorRole::activation, graph::DType::bf16, 16);
        rank_.launch(Stream::data_comm, gemm(), {}, {});
    });
    fails([&] {
        (void)rank_.allocate("activation", graph::TensorRole::activation, graph::DType::bf16, 16);
        rank_.launch(Stream::compute, gemm(), {}, {});
        const program::Event event = rank_.record(Stream::compute);
        rank_.wait(Stream::tensor_comm, {event.id + 1});
    });
    fails([&] {
        const program::Buffer buffer = up_to_the_call();
        rank_.begin_batch();
        rank_.communicate(Stream::tensor_comm, all_reduce(), buffer, buffer);
    });
    fails([&] {
        program::Buffer buffer = up_to_the_call();
        rank_.communicate(Stream::tensor_comm, all_reduce(), buffer, buffer);
        rank_.communicate(Stream::tensor_comm, all_reduce(), buffer, buffer);
        buffer.id += 1;
        rank_.release(buffer);
    });
}

}  // namespace
}  // namespace prismllm::emulation
