// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Loops of the host operations. Every iteration writes what no other one touches, so that
/// results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <span>

#include <Kokkos_Core.hpp>

namespace prismllm::device {

using In = std::span<const float>;
using Out = std::span<float>;
using Ids = std::span<const std::int64_t>;

/// Before the first loop of the process.
inline void start_host_loops() {
    if (!Kokkos::is_initialized()) {
        Kokkos::initialize();
    }
}

/// body(0) ... body(count - 1), in any order.
template <class Body>
void for_each(std::int64_t count, const Body& body) {
    using Space = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for(
        "prismllm", Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, count), body);
    Space().fence();
}

}  // namespace prismllm::device
