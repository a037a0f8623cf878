// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/graph/kernel.hpp"

namespace prismllm::graph {

std::int64_t payload_bytes(const Communication& c, std::int64_t group_size) {
    const std::int64_t own = c.elements * size_of(c.dtype);
    const bool scaled =
        c.kind == CollectiveKind::all_gather || c.kind == CollectiveKind::reduce_scatter;
    return scaled ? own * group_size : own;
}

}  // namespace prismllm::graph
