// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Memory of the GPU for the length of an operation.
#pragma once

#include <cstdint>

#include "../operations.hpp"
#include "check.hpp"

namespace prismllm::device::cuda {

class Scratch {
public:
    Scratch(cudaStream_t stream, std::int64_t bytes) : stream_{stream} {
        check(cudaMallocAsync(&data_, static_cast<std::size_t>(bytes), stream),
              "allocate memory to work in");
    }
    Scratch(cudaStream_t stream, graph::DType dtype, std::int64_t elements)
        : Scratch{stream, elements * size_of(dtype)} {
        dtype_ = dtype;
        elements_ = elements;
    }
    ~Scratch() { (void)cudaFreeAsync(data_, stream_); }  // a failure shows at the next call
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    [[nodiscard]] View view() const { return {data_, dtype_, elements_}; }
    template <class T>
    [[nodiscard]] T* as() const {
        return static_cast<T*>(data_);
    }

private:
    cudaStream_t stream_;
    void* data_ = nullptr;
    graph::DType dtype_ = graph::DType::uint8;
    std::int64_t elements_ = 0;
};

}  // namespace prismllm::device::cuda
