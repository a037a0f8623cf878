// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>

#include "prismllm/base/error.hpp"

namespace prismllm::device {
namespace {

/// fp32 values in the device's memory, for as long as a copy takes.
class Scratch {
public:
    Scratch(Device& device, std::int64_t elements) : device_{device} {
        const std::int64_t bytes = elements * size_of(graph::DType::fp32);
        view_ = {device.allocate(bytes, Device::Start::undefined), graph::DType::fp32, elements};
        if (view_.data == nullptr) {
            throw SystemError{
                ErrorCode::resources,
                fmt::format("out of memory for {} MiB to convert a tensor in (the device has no "
                            "more). Make training.micro_batch_size or the model smaller.",
                            bytes >> 20)};
        }
    }
    ~Scratch() { device_.release(view_.data); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    [[nodiscard]] View view() const { return view_; }

private:
    Device& device_;
    View view_;
};

std::int64_t bytes_of(std::span<const float> values) {
    return static_cast<std::int64_t>(values.size_bytes());
}

}  // namespace

void upload(Device& device, std::span<const float> from, View to) {
    if (float* values = device.on_host(to); values != nullptr) {
        std::ranges::copy(from, values);
    } else if (to.dtype == graph::DType::fp32) {
        device.copy_in(from.data(), to.data, bytes_of(from));
    } else {
        const Scratch scratch{device, to.elements};
        device.copy_in(from.data(), scratch.view().data, bytes_of(from));
        device.operations().copy(scratch.view(), to);
    }
}

void download(Device& device, View from, std::span<float> to) {
    if (const float* values = device.on_host(from); values != nullptr) {
        std::copy_n(values, to.size(), to.begin());
    } else if (from.dtype == graph::DType::fp32) {
        device.copy_out(from.data, to.data(), bytes_of(to));
    } else {
        const Scratch scratch{device, from.elements};
        device.operations().copy(from, scratch.view());
        device.copy_out(scratch.view().data, to.data(), bytes_of(to));
    }
}

}  // namespace prismllm::device
