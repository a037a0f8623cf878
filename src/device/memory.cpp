// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "prismllm/base/error.hpp"

namespace prismllm::device {
namespace {

[[noreturn]] void no_room_for(const std::string& name, std::int64_t elements) {
    const double gib = static_cast<double>(elements) * sizeof(float) / (1 << 30);
    throw SystemError{
        ErrorCode::resources,
        fmt::format("out of memory for the tensor \"{}\" of {:.1f} GiB (this process could not get "
                    "more). Make training.micro_batch_size or sequence_length, or the model's "
                    "hidden_size, layers or vocab_size smaller, or cut it over more ranks: "
                    "parallel.tensor_parallel, pipeline_parallel.",
                    name, gib)};
}

}  // namespace

program::Buffer Memory::allocate(std::string_view name, graph::DType dtype, std::int64_t elements) {
    Tensor tensor;
    tensor.name = name;
    tensor.dtype = dtype;
    tensor.elements = elements;
    try {
        if (dtype == graph::DType::int64) {
            tensor.ids.resize(static_cast<std::size_t>(elements));
        } else {
            tensor.values.resize(static_cast<std::size_t>(elements));
        }
    } catch (const std::exception&) {  // bad_alloc, or length_error beyond all memory
        no_room_for(tensor.name, elements);
    }
    tensors_.emplace(next_, std::move(tensor));
    bytes_ += elements * size_of(dtype);
    peak_bytes_ = std::max(peak_bytes_, bytes_);
    return {next_++, 0, 0, elements};
}

void Memory::release(program::Buffer buffer) {
    const Tensor& tensor = find(buffer);
    bytes_ -= tensor.elements * size_of(tensor.dtype);
    tensors_.erase(buffer.id);
}

Memory::Tensor& Memory::find(program::Buffer buffer) {
    const auto found = tensors_.find(buffer.id);
    if (!buffer.exists() || found == tensors_.end()) {
        throw SystemError{ErrorCode::internal, "an op names a tensor that does not live"};
    }
    Tensor& tensor = found->second;
    if (buffer.offset < 0 || buffer.offset + buffer.elements > tensor.elements) {
        throw SystemError{ErrorCode::internal, "an op reaches outside of " + tensor.name};
    }
    return tensor;
}

Out Memory::floats(program::Buffer buffer) {
    return Out{find(buffer).values}.subspan(static_cast<std::size_t>(buffer.offset),
                                            static_cast<std::size_t>(buffer.elements));
}

std::span<std::int64_t> Memory::ids(program::Buffer buffer) {
    return std::span{find(buffer).ids}.subspan(static_cast<std::size_t>(buffer.offset),
                                               static_cast<std::size_t>(buffer.elements));
}

}  // namespace prismllm::device
