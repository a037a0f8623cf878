// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// In the place of src/device/cuda/grid.cuh: the bodies of kernels run on the host, one after the
/// other, so that what they compute can be tested without a GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../bodies/portable.hpp"
#include "check.hpp"

namespace prismllm::device::cuda {

using BlockTeam = SerialTeam;

template <class Body>
void each(cudaStream_t, std::int64_t count, const Body& body) {
    for (std::int64_t i = 0; i < count; ++i) {
        body(i);
    }
}

template <class Body>
void rows(cudaStream_t, std::int64_t count, const Body& body) {
    for (std::int64_t row = 0; row < count; ++row) {
        body(BlockTeam{}, row);
    }
}

}  // namespace prismllm::device::cuda
