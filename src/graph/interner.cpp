// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/graph/interner.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "prismllm/graph/hash.hpp"

namespace prismllm::graph {
namespace {

std::uint64_t word_of(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

std::uint64_t hash_of(const Kernel& kernel) {
    std::uint64_t h = hash_step(static_cast<std::uint64_t>(kernel.kind) << 8,
                                static_cast<std::uint64_t>(kernel.dtype));
    for (const std::int64_t extent : kernel.shape) {
        h = hash_step(h, word_of(extent));
    }
    // Adding zero makes -0.0, which equals 0.0, hash like it.
    h = hash_step(h, std::bit_cast<std::uint64_t>(kernel.flops + 0.0));
    return hash_step(h, word_of(kernel.bytes));
}

std::uint64_t hash_of(const Communication& call) {
    const std::uint64_t kinds = static_cast<std::uint64_t>(call.kind) |
                                static_cast<std::uint64_t>(call.dtype) << 8 |
                                static_cast<std::uint64_t>(call.reduce) << 16 |
                                static_cast<std::uint64_t>(call.family) << 24;
    std::uint64_t h = hash_step(kinds, word_of(call.elements));
    h = hash_step(h, word_of(call.root));
    h = hash_step(h, word_of(call.peer_delta));
    return hash_step(h, word_of(call.splits));
}

template <class Row>
std::uint32_t intern_row(std::vector<Row>& rows, RowIndex& index, const Row& row) {
    const auto next = static_cast<std::uint32_t>(rows.size());
    const std::uint32_t found = index.find_or_enter(
        hash_of(row), next, [&](std::uint32_t candidate) { return rows[candidate] == row; });
    if (found == next) {
        rows.push_back(row);
    }
    return found;
}

}  // namespace

void RowIndex::grow() {
    std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
        if (slot.row == empty) {
            continue;
        }
        std::size_t i = slot.hash & (slots_.size() - 1);
        while (slots_[i].row != empty) {
            i = (i + 1) & (slots_.size() - 1);
        }
        slots_[i] = slot;
    }
}

std::uint32_t Interner::intern(const Kernel& kernel) {
    return intern_row(kernels_, kernel_index_, kernel);
}

std::uint32_t Interner::intern(const Communication& call) {
    return intern_row(communications_, communication_index_, call);
}

std::uint32_t Interner::intern_tensor(std::string_view name, TensorRole role, std::int64_t bytes) {
    const std::uint64_t h =
        hash_text(hash_step(static_cast<std::uint64_t>(role), word_of(bytes)), name);
    const auto next = static_cast<std::uint32_t>(tensors_.size());
    const std::uint32_t found = tensor_index_.find_or_enter(h, next, [&](std::uint32_t candidate) {
        const Tensor& tensor = tensors_[candidate];
        return tensor.role == role && tensor.bytes == bytes && tensor.name == name;
    });
    if (found == next) {
        tensors_.push_back(Tensor{std::string{name}, role, bytes});
    }
    return found;
}

}  // namespace prismllm::graph
