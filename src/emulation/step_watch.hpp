// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Ends a job whose real rank stands still, and says at which op.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "following_executor.hpp"

namespace prismllm::emulation {

/// Looks at a real rank from a thread of its own. Where the rank is in a step and has issued no
/// op for longer than the limit, and does not wait for the clock of the wall, the report is written
/// and the process ends (job_failed), which makes the launcher end the job: the rank itself may
/// hang in a call that never returns.
class StepWatch {
public:
    StepWatch(const FollowingExecutor& rank, std::int64_t number, std::chrono::milliseconds limit);
    ~StepWatch();
    StepWatch(const StepWatch&) = delete;
    StepWatch& operator=(const StepWatch&) = delete;

    /// Between steps nothing is expected of the rank.
    void begin_step();
    void end_step();

private:
    void look();

    const FollowingExecutor& rank_;
    std::int64_t number_;
    std::chrono::milliseconds limit_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t step_ = -1;  ///< under way; -1: none
    std::int64_t steps_ = 0;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace prismllm::emulation
