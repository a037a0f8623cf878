// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include "prismllm/base/error.hpp"

namespace prismllm::device::cuda {

void check(cudaError_t error, const char* tried) {
    if (error != cudaSuccess) {
        throw SystemError{
            ErrorCode::resources,
            fmt::format("the GPU failed to {}: {} ({}). Look at nvidia-smi and dmesg for its "
                        "state, or run on the host: native.device = \"host\".",
                        tried, cudaGetErrorString(error), cudaGetErrorName(error))};
    }
}

void check(cublasStatus_t status, const char* tried) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw SystemError{ErrorCode::resources,
                          fmt::format("cuBLAS failed to {}: {}. Look at nvidia-smi for memory that "
                                      "others hold, or run on the host: native.device = \"host\".",
                                      tried, cublasGetStatusString(status))};
    }
}

}  // namespace prismllm::device::cuda
