// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "streamed_device.hpp"

#include <utility>

namespace prismllm::device {
namespace {

constexpr std::int64_t most_held = 1 << 20;  ///< bytes of a copy that the host does not wait for

}  // namespace

StreamedDevice::StreamedDevice(std::unique_ptr<Driver> driver,
                               std::unique_ptr<StreamOperations> operations,
                               std::unique_ptr<StreamCollectives> collectives)
    : driver_{std::move(driver)},
      operations_{std::move(operations)},
      collectives_{std::move(collectives)} {
    for (Driver::Stream& stream : streams_) {
        stream = driver_->create_stream();
    }
    timing_begin_ = driver_->create_event(Driver::EventUse::timing);
    timing_end_ = driver_->create_event(Driver::EventUse::timing);
    use(program::Stream::compute);
}

StreamedDevice::~StreamedDevice() {
    for (const auto& [number, event] : events_) {
        driver_->destroy_event(event);
    }
    for (Driver::Event event : pool_) {
        driver_->destroy_event(event);
    }
    driver_->destroy_event(timing_begin_);
    driver_->destroy_event(timing_end_);
    collectives_.reset();
    operations_.reset();  // it may hold memory of the streams
    for (Driver::Stream stream : streams_) {
        driver_->destroy_stream(stream);
    }
}

void* StreamedDevice::allocate(std::int64_t bytes, Start start) {
    void* data = driver_->allocate(bytes, stream_);
    if (data != nullptr && start == Start::zeros) {
        driver_->zero(data, bytes, stream_);
    }
    return data;
}

void StreamedDevice::release(void* data) {
    driver_->release(data, stream_);
}

void StreamedDevice::use(program::Stream stream) {
    stream_ = streams_[static_cast<std::size_t>(stream)];
    operations_->use(stream_);
    if (collectives_) {
        collectives_->use(stream_);
    }
}

Driver::Event StreamedDevice::event_from_pool() {
    if (pool_.empty()) {
        return driver_->create_event(Driver::EventUse::order);
    }
    const Driver::Event event = pool_.back();
    pool_.pop_back();
    return event;
}

void StreamedDevice::record(std::uint32_t event) {
    const Driver::Event recorded = event_from_pool();
    events_.emplace(event, recorded);
    driver_->record(recorded, stream_);
}

void StreamedDevice::wait(std::uint32_t event) {
    const auto found = events_.find(event);
    if (found != events_.end()) {  // else it happened before the last finish
        driver_->wait(stream_, found->second);
    }
}

void StreamedDevice::finish() {
    for (Driver::Stream stream : streams_) {
        driver_->synchronize(stream);
    }
    for (const auto& [number, event] : std::exchange(events_, {})) {
        pool_.push_back(event);
    }
    held_.clear();
}

void StreamedDevice::copy_in(const void* from, void* to, std::int64_t bytes) {
    if (bytes <= most_held) {
        // The host goes on: what it copies every micro-batch must not hold up its queue.
        const auto* begin = static_cast<const std::byte*>(from);
        held_.emplace_back(begin, begin + bytes);
        return driver_->copy_in(held_.back().data(), to, bytes, stream_);
    }
    driver_->copy_in(from, to, bytes, stream_);
    driver_->synchronize(stream_);
}

void StreamedDevice::copy_out(const void* from, void* to, std::int64_t bytes) {
    driver_->copy_out(from, to, bytes, stream_);
    driver_->synchronize(stream_);
}

void StreamedDevice::begin_timing() {
    driver_->record(timing_begin_, stream_);
}

std::optional<std::int64_t> StreamedDevice::end_timing() {
    driver_->record(timing_end_, stream_);
    driver_->synchronize(stream_);
    return driver_->elapsed_ps(timing_begin_, timing_end_);
}

}  // namespace prismllm::device
