// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A rank of the target job that this process executes.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "prismllm/device/rank_executor.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/program/setup.hpp"
#include "prismllm/program/training_step.hpp"

#include "following_executor.hpp"
#include "pace.hpp"
#include "step_watch.hpp"

namespace prismllm::emulation {

class RealRank {
public:
    /// Allocates weights, gradients and optimizer state. All references outlive the rank.
    /// @throws SystemError (job_failed) where its program is not the one of the graph; of
    /// make_rank_executor.
    RealRank(const program::Setup& setup, const graph::ExecutionGraph& graph, std::int64_t rank,
             const target::Native& training, std::span<const std::byte> text,
             device::Transport& transport, const device::DeviceUse& use,
             std::chrono::milliseconds watchdog)
        : executor_{device::make_rank_executor(setup, rank, training, text, &transport, use)},
          following_{*executor_,
                     graph,
                     rank,
                     {[this] { return executor_->allocated_bytes(); },
                      [this] { return executor_->kernel_ps(); }}},
          program_{setup, rank, following_},
          watch_{following_, rank, watchdog},
          pace_{std::make_unique<Pace>()} {
        following_.set_pace(pace_.get());
    }

    /// Live by another clock from the next step on.
    void set_pace(std::unique_ptr<Pace> pace) {
        following_.set_pace(pace.get());
        pace_ = std::move(pace);
    }
    [[nodiscard]] const std::vector<graph::Op>& ops() const { return following_.ops(); }
    [[nodiscard]] FollowingExecutor& following() { return following_; }

    /// One iteration.
    /// @return mean loss a token of this rank's micro-batches, nats; 0 without the head.
    /// @throws SystemError (job_failed) where it leaves the graph; what its pace throws.
    double step() {
        watch_.begin_step();
        following_.begin_step();
        program_.step();
        following_.end_step();
        watch_.end_step();
        return executor_->end_step();
    }

    /// Of the last step, see FollowingExecutor.
    [[nodiscard]] const std::vector<std::int64_t>& kernel_ps() const {
        return following_.kernel_ps();
    }
    [[nodiscard]] const std::vector<std::int64_t>& allocated_bytes() const {
        return following_.allocated_bytes();
    }
    [[nodiscard]] const device::RankExecutor& executor() const { return *executor_; }

private:
    std::unique_ptr<device::RankExecutor> executor_;
    FollowingExecutor following_;
    program::TrainingProgram program_;
    StepWatch watch_;
    std::unique_ptr<Pace> pace_;
};

}  // namespace prismllm::emulation
