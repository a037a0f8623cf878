// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Linear layers.
#include <optional>

#include "cuda_operations.hpp"
#include "scratch.hpp"

namespace prismllm::device::cuda {
namespace {

using graph::DType;

bool multiplies(DType dtype) {
    return dtype == DType::fp32 || dtype == DType::bf16 || dtype == DType::fp16;
}

/// Both operands of a product must have this dtype: the narrower one of those that multiply.
DType common(DType a, DType b) {
    if (a == b && multiplies(a)) {
        return a;
    }
    if (multiplies(a) && multiplies(b)) {
        return a == DType::fp32 ? b : a;
    }
    return DType::bf16;  // fp8 products are computed as bf16 ones
}

/// A view in another dtype for the length of an operation; the view itself where it has it.
class Converted {
public:
    Converted(Operations& on, cudaStream_t stream, View view, DType dtype) : view_{view} {
        if (view.dtype != dtype) {
            scratch_.emplace(stream, dtype, view.elements);
            view_ = scratch_->view();
            on.copy(view, view_);
        }
    }
    [[nodiscard]] View view() const { return view_; }

private:
    std::optional<Scratch> scratch_;
    View view_;
};

}  // namespace

/// Contiguous matrices of any dtype.
void CudaOperations::multiply(const Product& product, const Matrices& a, const Matrices& b,
                              const Matrices& c) {
    const DType dtype = common(a.first.dtype, b.first.dtype);
    const Converted left{*this, stream_, a.first, dtype};
    const Converted right{*this, stream_, b.first, dtype};
    // cuBLAS stores sums in the operands' dtype or in fp32.
    const bool direct = c.first.dtype == dtype || c.first.dtype == DType::fp32;
    const Converted sums{*this, stream_, c.first, direct ? c.first.dtype : DType::fp32};
    const auto in_place_of = [](Matrices m, View view) {
        m.first = view;
        return m;
    };
    blas_.multiply(product, in_place_of(a, left.view()), in_place_of(b, right.view()),
                   in_place_of(c, sums.view()));
    if (!direct) {
        copy(sums.view(), c.first);
    }
}

void CudaOperations::linear_forward(const LinearShape& shape, View in, View weight, View bias,
                                    View out) {
    const auto [tokens, columns, inner] = shape;
    if (!bias.empty()) {
        repeat(stream_, bias, out);
    }
    multiply({tokens, columns, inner, 1, bias.empty() ? 0.0F : 1.0F}, {in, inner},
             {weight, inner, true}, {out, columns});
}

void CudaOperations::linear_input_gradient(const LinearShape& shape, View grad, View weight,
                                           View grad_in) {
    const auto [tokens, columns, inner] = shape;
    multiply({tokens, inner, columns}, {grad, columns}, {weight, inner}, {grad_in, inner});
}

void CudaOperations::linear_weight_gradient(const LinearShape& shape, View grad, View in,
                                            View gradient) {
    const auto [tokens, columns, inner] = shape;
    multiply({columns, inner, tokens, 1, 1}, {grad, columns, true}, {in, inner}, {gradient, inner});
}

}  // namespace prismllm::device::cuda
