// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/graph/interner.hpp
/// Numbers equal descriptions once, so that slices recorded one by one share their tables and
/// can be compared op by op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {

/// Open-addressed set of row numbers, looked up by the hash of the row (linear probing, at most
/// half full). The rows themselves live elsewhere.
class RowIndex {
public:
    /// Row with this hash for which `equals(row)` holds; else enters `next` and returns it.
    template <class Equals>
    std::uint32_t find_or_enter(std::uint64_t hash, std::uint32_t next, Equals&& equals) {
        if (2 * (static_cast<std::size_t>(next) + 1) > slots_.size()) {
            grow();
        }
        std::size_t i = hash & (slots_.size() - 1);
        while (slots_[i].row != empty) {
            if (slots_[i].hash == hash && equals(slots_[i].row)) {
                return slots_[i].row;
            }
            i = (i + 1) & (slots_.size() - 1);
        }
        slots_[i] = {hash, next};
        return next;
    }

private:
    static constexpr std::uint32_t empty = 0xffffffffU;
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t row = empty;
    };
    void grow();
    std::vector<Slot> slots_;
};

class Interner {
public:
    [[nodiscard]] std::uint32_t intern(const Kernel& kernel);
    [[nodiscard]] std::uint32_t intern(const Communication& call);
    [[nodiscard]] std::uint32_t intern_tensor(std::string_view name, TensorRole role,
                                              std::int64_t bytes);

    [[nodiscard]] const std::vector<Kernel>& kernels() const { return kernels_; }
    [[nodiscard]] const std::vector<Communication>& communications() const {
        return communications_;
    }
    [[nodiscard]] const std::vector<Tensor>& tensors() const { return tensors_; }

private:
    std::vector<Kernel> kernels_;
    std::vector<Communication> communications_;
    std::vector<Tensor> tensors_;
    RowIndex kernel_index_, communication_index_, tensor_index_;
};

}  // namespace prismllm::graph
