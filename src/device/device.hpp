// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What executes the operations of a rank: memory, streams and arithmetic.
#pragma once

#include <cstdint>
#include <span>

#include "prismllm/program/executor.hpp"

#include "operations.hpp"

namespace prismllm::device {

/// Operations and copies are queued on the stream in use and done in its order; a device may do
/// them at once. Views must live until finish() or until a later op of another stream waited for
/// an event behind them. All throw SystemError (resources) where the device fails.
class Device : public Operations {
public:
    /// Precision in which elements of a dtype lie in memory.
    [[nodiscard]] virtual graph::DType stored_as(graph::DType dtype) const = 0;
    /// Memory filled with zeros, for any op that is queued from now on; null if there is no room.
    [[nodiscard]] virtual void* allocate(std::int64_t bytes) = 0;
    /// Ops queued so far on the stream in use, and what it waited for, may still use it.
    virtual void release(void* data) = 0;

    /// The stream of all that follows.
    virtual void use(program::Stream stream) = 0;
    /// What is queued so far on the stream in use is an event, of a number not used before.
    virtual void record(std::uint32_t event) = 0;
    /// What is queued from now on begins after an event. Each event at most once a stream.
    virtual void wait(std::uint32_t event) = 0;
    /// Returns when everything that was queued on any stream is done.
    virtual void finish() = 0;

    /// To and from the host's memory; values are converted. Return when it is done.
    virtual void upload(std::span<const float> from, View to) = 0;
    virtual void upload(std::span<const std::int64_t> from, View to) = 0;
    virtual void download(View from, std::span<float> to) = 0;
    /// The elements if the host can work on them as they lie; null otherwise.
    [[nodiscard]] virtual float* on_host(View view) = 0;
    /// Rounds to what a dtype holds, where that is less than what it is stored as.
    virtual void round_to(graph::DType dtype, View in_out) = 0;
};

}  // namespace prismllm::device
