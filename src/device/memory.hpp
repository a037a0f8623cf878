// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Tensors of one rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "prismllm/program/executor.hpp"

#include "parallel.hpp"

namespace prismllm::device {

/// Storage behind the buffers. A released number is never given again.
class Memory {
public:
    [[nodiscard]] program::Buffer allocate(std::string_view name, graph::DType dtype,
                                           std::int64_t elements);
    void release(program::Buffer buffer);

    /// @throws SystemError (internal) for a buffer that does not live or reaches outside.
    [[nodiscard]] Out floats(program::Buffer buffer);
    [[nodiscard]] std::span<std::int64_t> ids(program::Buffer buffer);
    [[nodiscard]] graph::DType dtype(program::Buffer buffer) { return find(buffer).dtype; }
    /// What was last loaded into a tensor of ids.
    [[nodiscard]] program::Input& input(program::Buffer buffer) { return find(buffer).input; }

    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] std::int64_t peak_bytes() const { return peak_bytes_; }

private:
    struct Tensor {
        std::string name;
        graph::DType dtype = graph::DType::fp32;
        std::int64_t elements = 0;
        std::vector<float> values;
        std::vector<std::int64_t> ids;
        program::Input input = program::Input::tokens;
    };
    [[nodiscard]] Tensor& find(program::Buffer buffer);

    std::unordered_map<std::uint32_t, Tensor> tensors_;  ///< those that live, by number
    std::uint32_t next_ = 0;
    std::int64_t bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace prismllm::device
