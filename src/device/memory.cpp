// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "prismllm/base/error.hpp"

namespace prismllm::device {
namespace {

[[noreturn]] void no_room_for(const std::string& name, std::int64_t elements, graph::DType dtype) {
    const double gib =
        static_cast<double>(elements) * static_cast<double>(size_of(dtype)) / (1 << 30);
    throw SystemError{
        ErrorCode::resources,
        fmt::format("out of memory for the tensor \"{}\" of {:.1f} GiB (this process could not get "
                    "more). Make training.micro_batch_size or sequence_length, or the model's "
                    "hidden_size, layers or vocab_size smaller, or cut it over more ranks: "
                    "parallel.tensor_parallel, pipeline_parallel.",
                    name, gib)};
}

}  // namespace

Memory::~Memory() {
    for (const auto& [number, tensor] : tensors_) {
        device_.release(tensor.all.data);
    }
}

program::Buffer Memory::allocate(std::string_view name, graph::DType dtype, std::int64_t elements,
                                 Device::Start start) {
    Tensor tensor;
    tensor.name = name;
    tensor.dtype = dtype;
    tensor.all = {nullptr, device_.stored_as(dtype), elements};
    constexpr std::int64_t countable = std::numeric_limits<std::int64_t>::max() / 8;
    if (elements <= countable) {
        tensor.all.data = device_.allocate(elements * size_of(tensor.all.dtype), start);
    }
    if (tensor.all.data == nullptr) {
        no_room_for(tensor.name, elements, tensor.all.dtype);
    }
    tensors_.emplace(next_, std::move(tensor));
    bytes_ += elements * size_of(dtype);
    peak_bytes_ = std::max(peak_bytes_, bytes_);
    return {next_++, 0, 0, elements};
}

void Memory::release(program::Buffer buffer) {
    const Tensor& tensor = find(buffer);
    bytes_ -= tensor.all.elements * size_of(tensor.dtype);
    device_.release(tensor.all.data);
    tensors_.erase(buffer.id);
}

Memory::Tensor& Memory::find(program::Buffer buffer) {
    const auto found = tensors_.find(buffer.id);
    if (!buffer.exists() || found == tensors_.end()) {
        throw SystemError{ErrorCode::internal, "an op names a tensor that does not live"};
    }
    Tensor& tensor = found->second;
    if (buffer.offset < 0 || buffer.offset + buffer.elements > tensor.all.elements) {
        throw SystemError{ErrorCode::internal, "an op reaches outside of " + tensor.name};
    }
    return tensor;
}

View Memory::view(program::Buffer buffer) {
    return find(buffer).all.part(buffer.offset, buffer.elements);
}

}  // namespace prismllm::device
