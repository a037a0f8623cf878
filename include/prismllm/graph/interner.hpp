// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/graph/interner.hpp
/// Numbers equal descriptions once, so that slices recorded one by one share their tables and
/// can be compared op by op.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {

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
    std::unordered_multimap<std::uint64_t, std::uint32_t> kernel_index_, communication_index_,
        tensor_index_;
};

}  // namespace prismllm::graph
