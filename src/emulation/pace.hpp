// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What clock a real rank lives by.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "prismllm/base/error.hpp"
#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::emulation {

/// Hears of every timed op of a real rank, before it is executed and behind it. This one lets the
/// rank run free and takes the time of its kernels.
class Pace {
public:
    using Clock = std::chrono::steady_clock;

    virtual ~Pace() = default;
    virtual void begin_step() {}
    /// All ops of the step have been executed.
    virtual void end_step() {}
    /// @param op number in the list of the rank's class.
    virtual void before(std::size_t op, const graph::Op& listed);
    /// @return how long the op took, picoseconds; asked of kernels alone.
    virtual std::int64_t behind(std::size_t op, const graph::Op& listed);
    /// So many ops of the list are done, no batch is open.
    virtual void done(std::size_t) {}

private:
    Clock::time_point begin_;
};

/// Ends a step whose rank need not go on: the emulation has failed or was interrupted, on all
/// processes alike.
struct StepStopped {
    Error error;
};

inline std::int64_t picoseconds(std::chrono::nanoseconds time) {
    return time.count() * 1000;
}

inline void Pace::before(std::size_t, const graph::Op&) {
    begin_ = Clock::now();
}

inline std::int64_t Pace::behind(std::size_t, const graph::Op&) {
    return picoseconds(Clock::now() - begin_);
}

}  // namespace prismllm::emulation
