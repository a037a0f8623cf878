// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/comm/backoff.hpp
/// How to wait for another process without keeping a core from it.
#pragma once

#include <chrono>
#include <string>

namespace prismllm::comm {

/// Pauses between polls that grow: at first none (the answer is often a microsecond away), then
/// the core is offered to others, then short sleeps up to a fifth of a millisecond.
class Backoff {
public:
    void pause();
    /// Something arrived: be quick again.
    void reset() { rounds_ = 0; }

private:
    int rounds_ = 0;
};

/// Bounds a wait, so that a process whose peer has died or hangs ends and says so. Launchers
/// normally end the job first; this is for those that do not.
class Watchdog {
public:
    using Clock = std::chrono::steady_clock;

    explicit Watchdog(std::chrono::milliseconds limit) : limit_{limit}, since_{Clock::now()} {}

    /// Something arrived: start again.
    void reset() { since_ = Clock::now(); }
    /// Throws SystemError (system) saying who waited for what, once the limit has passed.
    void check(int host_rank, const std::string& what) const;
    [[nodiscard]] std::chrono::milliseconds limit() const { return limit_; }

private:
    std::chrono::milliseconds limit_;
    Clock::time_point since_;
};

}  // namespace prismllm::comm
