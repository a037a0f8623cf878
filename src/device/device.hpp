// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What executes the operations of a rank: memory, streams and arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "prismllm/program/executor.hpp"

#include "operations.hpp"
#include "stream_collectives.hpp"

namespace prismllm::device {

/// Operations and copies are queued on the stream in use and done in its order; a device may do
/// them at once. What one stream writes and another one uses is ordered by an event between them;
/// memory from one stream, too, is used by another one behind an event only.
/// All throw SystemError (resources) where the device fails.
class Device {
public:
    virtual ~Device() = default;

    /// Arithmetic on the stream in use.
    [[nodiscard]] virtual Operations& operations() = 0;
    /// Precision in which elements of a dtype lie in memory.
    [[nodiscard]] virtual graph::DType stored_as(graph::DType dtype) const = 0;
    enum class Start : std::uint8_t { undefined, zeros };
    /// Memory for what is queued on the stream in use from now on; null if there is no room.
    [[nodiscard]] virtual void* allocate(std::int64_t bytes, Start start) = 0;
    /// What is queued on the stream in use so far, and what it waited for, may still use it.
    virtual void release(void* data) = 0;

    /// The stream of all that follows.
    virtual void use(program::Stream stream) = 0;
    /// What is queued so far on the stream in use is an event, of a number not used before.
    virtual void record(std::uint32_t event) = 0;
    /// What is queued from now on begins after an event.
    virtual void wait(std::uint32_t event) = 0;
    /// Returns when everything that was queued on any stream is done. Events are forgotten.
    virtual void finish() = 0;

    /// From and to the host's memory, on the stream in use. The host's part is free, or filled,
    /// on return.
    virtual void copy_in(const void* from, void* to, std::int64_t bytes) = 0;
    virtual void copy_out(const void* from, void* to, std::int64_t bytes) = 0;
    /// The elements if the host can work on them as they lie; null otherwise.
    [[nodiscard]] virtual float* on_host(View view) const = 0;

    /// Communication among devices, on the stream in use; null if there is none.
    [[nodiscard]] virtual StreamCollectives* collectives() { return nullptr; }

    /// What is queued in between on one stream is done at the end, and took so many picoseconds by
    /// the device's own clock; nothing if it has none.
    virtual void begin_timing() {}
    [[nodiscard]] virtual std::optional<std::int64_t> end_timing() { return {}; }
};

/// copy_in and copy_out of values, which are converted to and from how they are stored.
void upload(Device& device, std::span<const float> from, View to);
void download(Device& device, View from, std::span<float> to);

}  // namespace prismllm::device
