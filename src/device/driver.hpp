// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The calls of a GPU's runtime that a streamed device makes, as a table: the CUDA plug-in fills
/// it, and tests do with a fake on the host.
#pragma once

#include <cstdint>

namespace prismllm::device {

/// All calls throw SystemError (resources) where the runtime reports an error, also of work that
/// was queued before.
class Driver {
public:
    using Stream = void*;
    using Event = void*;

    virtual ~Driver() = default;

    [[nodiscard]] virtual Stream create_stream() = 0;
    virtual void destroy_stream(Stream stream) = 0;
    enum class EventUse { order, timing };
    [[nodiscard]] virtual Event create_event(EventUse use) = 0;
    virtual void destroy_event(Event event) = 0;

    /// The event stands for what the stream was given so far; recorded again, for what is then.
    virtual void record(Event event, Stream stream) = 0;
    virtual void wait(Stream stream, Event event) = 0;
    virtual void synchronize(Stream stream) = 0;
    /// Between two events with timing that have happened.
    [[nodiscard]] virtual std::int64_t elapsed_ps(Event from, Event to) = 0;

    /// In the stream's order. Null if there is no room.
    [[nodiscard]] virtual void* allocate(std::int64_t bytes, Stream stream) = 0;
    virtual void release(void* data, Stream stream) = 0;
    virtual void zero(void* data, std::int64_t bytes, Stream stream) = 0;
    /// The host's memory must stay as it is until the stream was synchronized.
    virtual void copy_in(const void* from, void* to, std::int64_t bytes, Stream stream) = 0;
    virtual void copy_out(const void* from, void* to, std::int64_t bytes, Stream stream) = 0;
};

}  // namespace prismllm::device
