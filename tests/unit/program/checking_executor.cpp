// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "checking_executor.hpp"

#include <algorithm>

namespace prismllm::program {
namespace {

using graph::CollectiveKind;
using graph::KernelKind;
using graph::TensorRole;

constexpr auto compute_stream = static_cast<std::size_t>(Stream::compute);

bool stays(TensorRole role) {
    return role == TensorRole::weight || role == TensorRole::gradient ||
           role == TensorRole::optimizer_state;
}

std::int64_t total(std::span<const Buffer> buffers) {
    std::int64_t sum = 0;
    for (const Buffer& buffer : buffers) {
        sum += buffer.elements;
    }
    return sum;
}

}  // namespace

std::set<std::string> CheckingExecutor::leftovers() const {
    std::set<std::string> names;
    for (const Tensor& tensor : tensors_) {
        if (tensor.alive && !stays(tensor.role)) {
            names.insert(tensor.name);
        }
    }
    return names;
}

std::int64_t CheckingExecutor::live_bytes(TensorRole role) const {
    std::int64_t bytes = 0;
    for (const Tensor& tensor : tensors_) {
        bytes += tensor.alive && tensor.role == role ? tensor.bytes : 0;
    }
    return bytes;
}

Buffer CheckingExecutor::allocate(std::string_view name, TensorRole role, graph::DType dtype,
                                  std::int64_t elements) {
    Tensor tensor;
    tensor.name = name;
    tensor.role = role;
    tensor.elements = elements;
    tensor.bytes = elements * size_of(dtype);
    if (elements <= 0) {
        problem(tensor.name + " is allocated empty");
    }
    // The memory may be what the compute stream has just given back: others come behind that.
    const std::int64_t now = ++clocks_[compute_stream][compute_stream];
    tensor.accesses.push_back({0, elements, compute_stream, now, true});
    if (role == TensorRole::optimizer_state) {
        tensor.written.emplace(0, elements);
    }
    tensors_.push_back(std::move(tensor));
    return {static_cast<std::uint32_t>(tensors_.size() - 1), 0, 0, elements};
}

void CheckingExecutor::initialize(Buffer weight, const ParameterPart& part) {
    std::int64_t rows = 0;
    for (const ParameterPart::Rows& section : part.rows) {
        rows += section.count;
    }
    check_size(part.name, rows * part.columns, weight.elements);
    write(compute_stream, weight, part.name);
}

void CheckingExecutor::initialize_master(Buffer master, Buffer weight) {
    read(compute_stream, weight, "master");
    write(compute_stream, master, "master");
    check_size("master", weight.elements, master.elements);
}

void CheckingExecutor::load(Buffer buffer, Input) {
    write(compute_stream, buffer, "load");
    check_size("load", setup_.sizes.tokens, buffer.elements);
}

void CheckingExecutor::release(Buffer buffer) {
    Tensor* tensor = find(buffer, "release");
    if (tensor == nullptr) {
        return;
    }
    if (buffer.offset != 0 || buffer.elements != tensor->elements) {
        problem(tensor->name + " is released by a part");
    }
    // The compute stream may get the memory back at once.
    for (const Access& access : tensor->accesses) {
        expect_ordered(compute_stream, *tensor, access, "release");
    }
    tensor->alive = false;
    tensor->accesses.clear();
    tensor->written.clear();
}

CheckingExecutor::Tensor* CheckingExecutor::find(Buffer buffer, const std::string& user) {
    if (!buffer.exists() || buffer.id >= tensors_.size()) {
        problem(user + " names a buffer that was never allocated");
        return nullptr;
    }
    Tensor& tensor = tensors_[buffer.id];
    if (!tensor.alive) {
        problem(user + " uses " + tensor.name + " after its release");
        return nullptr;
    }
    if (buffer.offset < 0 || buffer.offset + buffer.elements > tensor.elements) {
        problem(user + " reaches outside of " + tensor.name);
        return nullptr;
    }
    return &tensor;
}

void CheckingExecutor::expect_ordered(std::size_t stream, const Tensor& tensor,
                                      const Access& access, const std::string& user) {
    if (clocks_[stream][access.stream] < access.tick) {
        problem(user + " on the " + std::string(name_of(static_cast<Stream>(stream))) +
                " stream does not wait for the " + (access.write ? "writer" : "reader") + " of " +
                tensor.name + " on the " +
                std::string(name_of(static_cast<Stream>(access.stream))) + " stream");
    }
}

void CheckingExecutor::remember(Tensor& tensor, const Access& access) {
    const auto covered = [&](const Access& old) {
        const bool inside = old.first >= access.first && old.end <= access.end;
        return inside && (access.write || (!old.write && old.stream == access.stream));
    };
    std::erase_if(tensor.accesses, covered);
    tensor.accesses.push_back(access);
}

void CheckingExecutor::read(std::size_t stream, Buffer buffer, const std::string& user) {
    Tensor* tensor = find(buffer, user);
    if (tensor == nullptr) {
        return;
    }
    const std::int64_t end = buffer.offset + buffer.elements;
    const auto after = tensor->written.upper_bound(buffer.offset);
    if (after == tensor->written.begin() || std::prev(after)->second < end) {
        problem(user + " reads " + tensor->name + " where nothing was written");
    }
    for (const Access& access : tensor->accesses) {
        if (access.write && access.first < end && access.end > buffer.offset) {
            expect_ordered(stream, *tensor, access, user);
        }
    }
    remember(*tensor, {buffer.offset, end, stream, clocks_[stream][stream], false});
}

void CheckingExecutor::write(std::size_t stream, Buffer buffer, const std::string& user) {
    Tensor* tensor = find(buffer, user);
    if (tensor == nullptr) {
        return;
    }
    std::int64_t first = buffer.offset;
    std::int64_t end = buffer.offset + buffer.elements;
    for (const Access& access : tensor->accesses) {
        if (access.first < end && access.end > first) {
            expect_ordered(stream, *tensor, access, user);
        }
    }
    remember(*tensor, {first, end, stream, clocks_[stream][stream], true});
    auto touching = tensor->written.lower_bound(first);
    if (touching != tensor->written.begin() && std::prev(touching)->second >= first) {
        --touching;
    }
    while (touching != tensor->written.end() && touching->first <= end) {
        first = std::min(first, touching->first);
        end = std::max(end, touching->second);
        touching = tensor->written.erase(touching);
    }
    tensor->written.emplace(first, end);
}

void CheckingExecutor::launch(Stream stream, const graph::Kernel& kernel,
                              std::span<const Buffer> reads, std::span<const Buffer> writes) {
    const std::string user{name_of(kernel.kind)};
    const auto s = static_cast<std::size_t>(stream);
    ++clocks_[s][s];
    check_operands(kernel, reads, writes);
    for (const Buffer& buffer : reads) {
        read(s, buffer, user);
    }
    for (const Buffer& buffer : writes) {
        write(s, buffer, user);
    }
}

void CheckingExecutor::communicate(Stream stream, const graph::Communication& call, Buffer in,
                                   Buffer out) {
    const std::string user{name_of(call.kind)};
    const auto s = static_cast<std::size_t>(stream);
    ++clocks_[s][s];
    const std::int64_t members = setup_.family_list[call.family].group_size(0);
    if (call.kind == CollectiveKind::send) {
        check_size(user, call.elements, in.elements);
    } else if (call.kind == CollectiveKind::recv) {
        check_size(user, call.elements, out.elements);
    } else {
        const bool gathers = call.kind == CollectiveKind::all_gather;
        const bool scatters = call.kind == CollectiveKind::reduce_scatter;
        check_size(user + " input", call.elements * (scatters ? members : 1), in.elements);
        check_size(user + " output", call.elements * (gathers ? members : 1), out.elements);
    }
    if (call.kind != CollectiveKind::recv) {
        read(s, in, user);
    }
    if (call.kind != CollectiveKind::send) {
        write(s, out, user);
    }
}

Event CheckingExecutor::record(Stream stream) {
    events_.push_back(clocks_[static_cast<std::size_t>(stream)]);
    return {static_cast<std::uint32_t>(events_.size() - 1)};
}

void CheckingExecutor::wait(Stream stream, Event event) {
    if (event.id >= events_.size()) {
        problem("wait for an event that was never recorded");
        return;
    }
    Clock& clock = clocks_[static_cast<std::size_t>(stream)];
    for (std::size_t s = 0; s < clock.size(); ++s) {
        clock[s] = std::max(clock[s], events_[event.id][s]);
    }
}

void CheckingExecutor::check_size(const std::string& user, std::int64_t expected,
                                  std::int64_t actual) {
    if (expected != actual) {
        problem(user + " has " + std::to_string(actual) + " elements instead of " +
                std::to_string(expected));
    }
}

void CheckingExecutor::check_operands(const graph::Kernel& kernel, std::span<const Buffer> reads,
                                      std::span<const Buffer> writes) {
    const std::string user{name_of(kernel.kind)};
    const auto& s = kernel.shape;
    switch (kernel.kind) {
        case KernelKind::gemm:
            if (s[3] == 1) {  // a batch of heads takes its operands out of wider tensors
                check_size(user + " left operand", s[0] * s[2], reads[0].elements);
                check_size(user + " right operand", s[1] * s[2], reads[1].elements);
                check_size(user + " result", s[0] * s[1], writes[0].elements);
            }
            break;
        case KernelKind::norm_forward:
            check_size(user, s[0] * s[1], writes[0].elements);
            break;
        case KernelKind::residual_add:
            check_size(user, s[0], writes[0].elements);
            break;
        case KernelKind::embedding_forward:
            check_size(user + " ids", s[0], reads[0].elements);
            check_size(user + " table", s[2] * s[1], reads[1].elements);
            check_size(user, s[0] * s[1], writes[0].elements);
            break;
        case KernelKind::embedding_backward:
            check_size(user + " ids", s[0], reads[0].elements);
            check_size(user + " gradient", s[0] * s[1], reads[1].elements);
            check_size(user + " table", s[2] * s[1], writes[0].elements);
            break;
        case KernelKind::cross_entropy_forward:
        case KernelKind::cross_entropy_backward:
            check_size(user + " logits", s[0] * s[1], reads[0].elements);
            check_size(user, s[0] * s[1], writes[0].elements);
            break;
        case KernelKind::fill:
            check_size(user, s[0], total(writes));
            break;
        case KernelKind::copy:
            check_size(user + " input", s[0], total(reads));
            check_size(user + " output", s[0], total(writes));
            break;
        case KernelKind::l2_norm:
            normed_elements_ += total(reads);
            break;
        case KernelKind::adam:
            // and in fp16 whether an infinity was found
            check_size(user + " input",
                       4 * s[0] + (setup_.activation == graph::DType::fp16 ? 1 : 0), total(reads));
            check_size(user + " output", 3 * s[0], total(writes));
            break;
        default:
            break;
    }
}

}  // namespace prismllm::program
