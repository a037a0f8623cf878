// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "step_watch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "prismllm/base/error.hpp"
#include "prismllm/base/log.hpp"

namespace prismllm::emulation {

StepWatch::StepWatch(const FollowingExecutor& rank, std::int64_t number,
                     std::chrono::milliseconds limit)
    : rank_{rank}, number_{number}, limit_{limit}, thread_{[this] { look(); }} {}

StepWatch::~StepWatch() {
    {
        const std::lock_guard lock{mutex_};
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void StepWatch::begin_step() {
    const std::lock_guard lock{mutex_};
    step_ = steps_++;
}

void StepWatch::end_step() {
    const std::lock_guard lock{mutex_};
    step_ = -1;
}

void StepWatch::look() {
    using Clock = std::chrono::steady_clock;
    const auto tick = std::max(limit_ / 10, std::chrono::milliseconds{1});
    std::int64_t last_step = -1;
    std::size_t last_op = 0;
    std::uint64_t last_beat = 0;
    auto since = Clock::now();
    std::unique_lock lock{mutex_};
    while (!changed_.wait_for(lock, tick, [this] { return stop_; })) {
        const std::size_t op = rank_.position();
        const std::uint64_t beat = rank_.heartbeats();
        if (step_ < 0 || step_ != last_step || op != last_op || beat != last_beat) {
            last_step = step_;
            last_op = op;
            last_beat = beat;
            since = Clock::now();
        } else if (Clock::now() - since > limit_) {
            const std::chrono::duration<double> silence = Clock::now() - since;
            if (rank_.awaits_answer()) {
                log_here(
                    LogLevel::error, "watchdog",
                    "real rank {} waits in iteration {}: for {:.3g} s no answer of the proxies "
                    "has come, before {} (emulation.watchdog). Look at what they and the "
                    "other real ranks do, or allow more time.",
                    number_, step_, silence.count(), rank_.describe(op));
            } else {
                log_here(LogLevel::error, "watchdog",
                         "real rank {} stands still in iteration {}: for {:.3g} s it has not come "
                         "past {} (emulation.watchdog). Look at what it and the real ranks of that "
                         "communicator do, or allow more time.",
                         number_, step_, silence.count(), rank_.describe(op));
            }
            std::fflush(nullptr);
            std::_Exit(static_cast<int>(ErrorCode::job_failed));
        }
    }
}

}  // namespace prismllm::emulation
