// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Products of matrices by cuBLAS.
#pragma once

#include <cstdint>

#include "../operations.hpp"
#include "check.hpp"

namespace prismllm::device::cuda {

/// Row-major matrices at equal distances; row_stride and next count elements.
struct Matrices {
    View first;  ///< begins with the first element of the first matrix
    std::int64_t row_stride = 0;
    bool transposed = false;
    std::int64_t next = 0;  ///< from one matrix to the next; 0: the same one
};

/// c = alpha op(a) op(b) + beta c, `count` times; c is [m, n], k is summed over.
struct Product {
    std::int64_t m = 0, n = 0, k = 0;
    float alpha = 1, beta = 0;
    std::int64_t count = 1;
};

class Blas {
public:
    Blas();
    ~Blas();
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;

    void use(cudaStream_t stream);
    /// Sums in fp32. @pre both operands have one dtype of fp32, bf16, fp16; that of c is the same
    /// or fp32.
    void multiply(const Product& product, const Matrices& a, const Matrices& b, const Matrices& c);

private:
    cublasHandle_t handle_ = nullptr;
};

}  // namespace prismllm::device::cuda
