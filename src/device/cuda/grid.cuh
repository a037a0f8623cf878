// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Kernels that run a body for every element, or give every row to a block of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "check.hpp"

namespace prismllm::device::cuda {

inline constexpr int block_threads = 256;
inline constexpr int warp_threads = 32;
/// Enough to fill any GPU; blocks loop over what is more.
inline constexpr std::int64_t most_blocks = 16384;

/// The threads of a block share the work of a row. Sums are taken in a fixed order.
class BlockTeam {
public:
    __device__ explicit BlockTeam(double* partial) : partial_{partial} {}

    template <class Body>
    __device__ void each(std::int64_t count, const Body& body) const {
        for (std::int64_t i = threadIdx.x; i < count; i += block_threads) {
            body(i);
        }
    }
    template <class Term>
    __device__ double sum(std::int64_t count, const Term& term) const {
        double own = 0;
        each(count, [&](std::int64_t i) { own += static_cast<double>(term(i)); });
        return reduce(own, [](double a, double b) { return a + b; });
    }
    template <class Term>
    __device__ float largest(std::int64_t count, float least, const Term& term) const {
        float own = least;
        each(count, [&](std::int64_t i) { own = fmaxf(own, term(i)); });
        return static_cast<float>(
            reduce(static_cast<double>(own), [](double a, double b) { return fmax(a, b); }));
    }
    __device__ void gather() const { __syncthreads(); }
    template <class Body>
    __device__ void once(const Body& body) const {
        if (threadIdx.x == 0) {
            body();
        }
    }

private:
    /// The same for all threads. What they wrote before can be read by all behind it.
    template <class Combine>
    __device__ double reduce(double own, const Combine& combine) const {
        for (int distance = warp_threads / 2; distance > 0; distance /= 2) {
            own = combine(own, __shfl_xor_sync(0xffffffffU, own, distance));
        }
        __syncthreads();  // nobody reads results of the last time any more
        if (threadIdx.x % warp_threads == 0) {
            partial_[threadIdx.x / warp_threads] = own;
        }
        __syncthreads();
        double all = partial_[0];
        for (int warp = 1; warp < block_threads / warp_threads; ++warp) {
            all = combine(all, partial_[warp]);
        }
        return all;
    }

    double* partial_;  ///< shared by the block, one a warp
};

template <class Body>
__global__ void __launch_bounds__(block_threads) each_kernel(std::int64_t count, Body body) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * block_threads;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
         i < count; i += stride) {
        body(i);
    }
}

template <class Body>
__global__ void __launch_bounds__(block_threads) rows_kernel(std::int64_t rows, Body body) {
    __shared__ double partial[block_threads / warp_threads];
    const BlockTeam team{partial};
    for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        body(team, row);
        __syncthreads();
    }
}

/// body(0) ... body(count - 1), each by a thread.
template <class Body>
void each(cudaStream_t stream, std::int64_t count, const Body& body) {
    if (count > 0) {
        const std::int64_t blocks = (count + block_threads - 1) / block_threads;
        each_kernel<<<static_cast<unsigned>(std::min(blocks, most_blocks)), block_threads, 0,
                      stream>>>(count, body);
        check(cudaGetLastError(), "start a kernel");
    }
}

/// body(team, 0) ... body(team, rows - 1), each by a block.
template <class Body>
void rows(cudaStream_t stream, std::int64_t count, const Body& body) {
    if (count > 0) {
        rows_kernel<<<static_cast<unsigned>(std::min(count, most_blocks)), block_threads, 0,
                      stream>>>(count, body);
        check(cudaGetLastError(), "start a kernel");
    }
}

}  // namespace prismllm::device::cuda
