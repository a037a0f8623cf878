// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Elements of any dtype, read and written as fp32 by the bodies of operations.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "../operations.hpp"

namespace prismllm::device::cuda {

/// The dtype is the same for all threads: the branch costs little beside the access to memory.
struct Typed {
    void* data = nullptr;
    graph::DType dtype = graph::DType::fp32;
};

inline Typed typed(const View& view) {
    return {view.data, view.dtype};
}

__device__ inline float load(const Typed& p, std::int64_t i) {
    switch (p.dtype) {
        case graph::DType::bf16:
            return __bfloat162float(static_cast<const __nv_bfloat16*>(p.data)[i]);
        case graph::DType::fp16:
            return __half2float(static_cast<const __half*>(p.data)[i]);
        case graph::DType::fp8:
            return static_cast<float>(static_cast<const __nv_fp8_e4m3*>(p.data)[i]);
        case graph::DType::uint8:
            return static_cast<float>(static_cast<const std::uint8_t*>(p.data)[i]);
        default:
            return static_cast<const float*>(p.data)[i];
    }
}

/// To nearest, ties to even; fp8 saturates, as ../rounding.hpp says.
__device__ inline void store(const Typed& p, std::int64_t i, float value) {
    switch (p.dtype) {
        case graph::DType::bf16:
            static_cast<__nv_bfloat16*>(p.data)[i] = __float2bfloat16_rn(value);
            break;
        case graph::DType::fp16:
            static_cast<__half*>(p.data)[i] = __float2half_rn(value);
            break;
        case graph::DType::fp8:
            static_cast<__nv_fp8_e4m3*>(p.data)[i] = __nv_fp8_e4m3(value);
            break;
        case graph::DType::uint8:
            static_cast<std::uint8_t*>(p.data)[i] = static_cast<std::uint8_t>(value);
            break;
        default:
            static_cast<float*>(p.data)[i] = value;
    }
}

}  // namespace prismllm::device::cuda
