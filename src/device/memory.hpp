// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Tensors of one rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "prismllm/program/executor.hpp"

#include "device.hpp"

namespace prismllm::device {

/// Storage behind the buffers. A released number is never given again.
class Memory {
public:
    explicit Memory(Device& device) : device_{device} {}
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// @throws SystemError (resources) where the device has no room.
    [[nodiscard]] program::Buffer allocate(std::string_view name, graph::DType dtype,
                                           std::int64_t elements, Device::Start start);
    void release(program::Buffer buffer);

    /// @throws SystemError (internal) for a buffer that does not live or reaches outside.
    [[nodiscard]] View view(program::Buffer buffer);
    [[nodiscard]] graph::DType dtype(program::Buffer buffer) { return find(buffer).dtype; }
    /// What was last loaded into a tensor of ids.
    [[nodiscard]] program::Input& input(program::Buffer buffer) { return find(buffer).input; }

    /// Bytes of live tensors in the precision of their dtype.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] std::int64_t peak_bytes() const { return peak_bytes_; }

private:
    struct Tensor {
        std::string name;
        graph::DType dtype = graph::DType::fp32;
        View all;
        program::Input input = program::Input::tokens;
    };
    [[nodiscard]] Tensor& find(program::Buffer buffer);

    Device& device_;
    std::unordered_map<std::uint32_t, Tensor> tensors_;  ///< those that live, by number
    std::uint32_t next_ = 0;
    std::int64_t bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace prismllm::device
