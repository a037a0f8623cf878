// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The calls of CUDA and cuBLAS that the plug-in makes, on the host: everything is done at once.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

namespace {

/// Streams and events are handles only.
template <class Handle>
cudaError_t give_handle(Handle* handle) {
    *handle = reinterpret_cast<Handle>(std::malloc(1));
    return cudaSuccess;
}

float element(const void* data, cudaDataType_t type, std::int64_t i) {
    switch (type) {
        case CUDA_R_16BF:
            return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
        case CUDA_R_16F:
            return __half2float(static_cast<const __half*>(data)[i]);
        default:
            return static_cast<const float*>(data)[i];
    }
}

void set_element(void* data, cudaDataType_t type, std::int64_t i, float value) {
    switch (type) {
        case CUDA_R_16BF:
            static_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16_rn(value);
            break;
        case CUDA_R_16F:
            static_cast<__half*>(data)[i] = __float2half_rn(value);
            break;
        default:
            static_cast<float*>(data)[i] = value;
    }
}

/// A matrix as BLAS sees it: columns follow one another at the leading dimension.
struct ColumnMajor {
    const void* data;
    cudaDataType_t type;
    std::int64_t leading;
    std::int64_t first;
    bool transposed;
    [[nodiscard]] float at(std::int64_t row, std::int64_t column) const {
        return element(data, type,
                       first + (transposed ? column + row * leading : row + column * leading));
    }
};

}  // namespace

extern "C" {

cudaError_t cudaSetDevice(int) {
    return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) {
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    return give_handle(stream);
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    std::free(stream);
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    return give_handle(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    std::free(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 0.5F;
    return cudaSuccess;
}
cudaError_t cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t) {
    *data = std::malloc(bytes);
    if (*data == nullptr) {
        return cudaErrorMemoryAllocation;
    }
    std::memset(*data, 0xff, bytes);  // NaN in all precisions
    return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t) {
    std::free(data);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t) {
    std::memset(data, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
    return "an error of the fake";
}
const char* cudaGetErrorName(cudaError_t) {
    return "fake";
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    *handle = nullptr;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t) {
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) {
    return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t) {
    return "not supported";
}

/// As the reference documents it; combinations of dtypes that it does not list are refused.
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t operation_a,
                                          cublasOperation_t operation_b, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int a_leading, long long int a_next, const void* b,
                                          cudaDataType b_type, int b_leading, long long int b_next,
                                          const void* beta, void* c, cudaDataType c_type,
                                          int c_leading, long long int c_next, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
    const bool fits = a_leading >= (operation_a == CUBLAS_OP_N ? m : k) &&
                      b_leading >= (operation_b == CUBLAS_OP_N ? k : n) && c_leading >= m;
    if (compute != CUBLAS_COMPUTE_32F || a_type != b_type ||
        (c_type != a_type && c_type != CUDA_R_32F) || !fits) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    const float kept = *static_cast<const float*>(beta);
    for (std::int64_t matrix = 0; matrix < count; ++matrix) {
        const ColumnMajor left{a, a_type, a_leading, matrix * a_next, operation_a == CUBLAS_OP_T};
        const ColumnMajor right{b, b_type, b_leading, matrix * b_next, operation_b == CUBLAS_OP_T};
        for (std::int64_t column = 0; column < n; ++column) {
            for (std::int64_t row = 0; row < m; ++row) {
                double sum = 0;
                for (std::int64_t i = 0; i < k; ++i) {
                    sum += static_cast<double>(left.at(row, i)) *
                           static_cast<double>(right.at(i, column));
                }
                const std::int64_t at = matrix * c_next + row + column * c_leading;
                const float before = kept == 0 ? 0.0F : kept * element(c, c_type, at);
                set_element(c, c_type, at,
                            *static_cast<const float*>(alpha) * static_cast<float>(sum) + before);
            }
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
