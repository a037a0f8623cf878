// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "blas.hpp"

namespace prismllm::device::cuda {
namespace {

cudaDataType_t type_of(graph::DType dtype) {
    switch (dtype) {
        case graph::DType::bf16:
            return CUDA_R_16BF;
        case graph::DType::fp16:
            return CUDA_R_16F;
        default:
            return CUDA_R_32F;
    }
}

cublasOperation_t operation_of(const Matrices& matrices) {
    return matrices.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

int narrow(std::int64_t value) {
    return static_cast<int>(value);
}

}  // namespace

Blas::Blas() {
    check(cublasCreate(&handle_), "start");
}

Blas::~Blas() {
    (void)cublasDestroy(handle_);
}

void Blas::use(cudaStream_t stream) {
    check(cublasSetStream(handle_, stream), "take a stream");
}

void Blas::multiply(const Product& p, const Matrices& a, const Matrices& b, const Matrices& c) {
    // cuBLAS counts columns first: to it these are the transposed matrices, and c^T = b^T a^T.
    check(cublasGemmStridedBatchedEx(
              handle_, operation_of(b), operation_of(a), narrow(p.n), narrow(p.m), narrow(p.k),
              &p.alpha, b.first.data, type_of(b.first.dtype), narrow(b.row_stride), b.next,
              a.first.data, type_of(a.first.dtype), narrow(a.row_stride), a.next, &p.beta,
              c.first.data, type_of(c.first.dtype), narrow(c.row_stride), c.next, narrow(p.count),
              CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "multiply matrices");
}

}  // namespace prismllm::device::cuda
