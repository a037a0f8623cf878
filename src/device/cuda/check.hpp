// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Errors of CUDA's libraries as exceptions. Without headers that nvcc need not read.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace prismllm::device::cuda {

/// @throws SystemError (resources) naming what was tried
void check(cudaError_t error, const char* tried);
void check(cublasStatus_t status, const char* tried);

}  // namespace prismllm::device::cuda
