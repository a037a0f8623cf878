// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What every element is computed for by itself.
#include "../bodies/pointwise.hpp"
#include "../bodies/rows.hpp"
#include "cuda_operations.hpp"
#include "grid.cuh"
#include "typed.cuh"

namespace prismllm::device::cuda {

void repeat(cudaStream_t stream, View row, View out) {
    const std::int64_t columns = row.elements;
    each(stream, out.elements,
         [columns, x = typed(row), y = typed(out)] __device__(std::int64_t i) {
             store(y, i, load(x, i % columns));
         });
}

void CudaOperations::use(Driver::Stream stream) {
    stream_ = static_cast<cudaStream_t>(stream);
    blas_.use(stream_);
}

void CudaOperations::activation_forward(const ActivationShape& shape, View in, View out) {
    each(stream_, shape.rows * shape.columns,
         [shape, x = typed(in), y = typed(out)] __device__(std::int64_t i) {
             bodies::activation_forward(shape, i / shape.columns, i % shape.columns, x, y);
         });
}

void CudaOperations::activation_backward(const ActivationShape& shape, View in, View grad,
                                         View grad_in) {
    each(stream_, shape.rows * shape.columns,
         [shape, x = typed(in), g = typed(grad), y = typed(grad_in)] __device__(std::int64_t i) {
             bodies::activation_backward(shape, i / shape.columns, i % shape.columns, x, g, y);
         });
}

void CudaOperations::dropout_forward(const DropoutRule& rule, View in, View out, View mask) {
    each(stream_, in.elements,
         [rule, x = typed(in), y = typed(out), m = typed(mask)] __device__(std::int64_t i) {
             bodies::dropout_forward(rule, i, x, y, m);
         });
}

void CudaOperations::dropout_backward(const DropoutRule& rule, View grad, View mask, View grad_in) {
    each(stream_, grad.elements,
         [rule, g = typed(grad), m = typed(mask), y = typed(grad_in)] __device__(std::int64_t i) {
             bodies::dropout_backward(rule, i, g, m, y);
         });
}

void CudaOperations::residual_add(const DropoutRule& rule, View in, View update, View bias,
                                  View out, View mask) {
    const std::int64_t biases = bias.elements;
    const bool masked = !mask.empty();
    each(stream_, in.elements,
         [rule, biases, masked, x = typed(in), u = typed(update), b = typed(bias), y = typed(out),
          m = typed(mask)] __device__(std::int64_t i) {
             bodies::residual_add(rule, i, x, u, b, biases, y, m, masked);
         });
}

void CudaOperations::rope(const RopeShape& shape, View in_out) {
    const std::int64_t half = shape.head_dim / 2;
    each(stream_, shape.rows * half, [shape, half, x = typed(in_out)] __device__(std::int64_t i) {
        const bodies::Turn turn = bodies::turn_of(shape, i / half, i % half);
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            bodies::rope(shape, turn, i / half, head, i % half, x);
        }
    });
}

void CudaOperations::add(View a, View b, View out) {
    each(stream_, a.elements,
         [x = typed(a), y = typed(b), z = typed(out)] __device__(std::int64_t i) {
             store(z, i, load(x, i) + load(y, i));
         });
}

void CudaOperations::scale(float factor, View in_out) {
    each(stream_, in_out.elements, [factor, x = typed(in_out)] __device__(std::int64_t i) {
        store(x, i, load(x, i) * factor);
    });
}

void CudaOperations::fill(float value, View out) {
    each(stream_, out.elements,
         [value, x = typed(out)] __device__(std::int64_t i) { store(x, i, value); });
}

void CudaOperations::copy(View from, View to) {
    if (from.dtype == to.dtype) {
        check(cudaMemcpyAsync(to.data, from.data,
                              static_cast<std::size_t>(from.elements * size_of(from.dtype)),
                              cudaMemcpyDeviceToDevice, stream_),
              "copy");
        return;
    }
    each(stream_, from.elements,
         [x = typed(from), y = typed(to)] __device__(std::int64_t i) { store(y, i, load(x, i)); });
}

void CudaOperations::token_losses(View sums, View predicted, View losses) {
    each(stream_, sums.elements,
         [s = typed(sums), p = typed(predicted), l = typed(losses)] __device__(std::int64_t t) {
             bodies::token_loss(t, s, p, l);
         });
}

void CudaOperations::unscale(float factor, View in_out, View found) {
    each(stream_, in_out.elements,
         [factor, x = typed(in_out), f = typed(found)] __device__(std::int64_t i) {
             const float value = load(x, i) * factor;
             store(x, i, value);
             if (!isfinite(value)) {
                 store(f, 0, 1);
             }
         });
}

void CudaOperations::adam(const AdamRule& rule, View gradient, View weights, View moment1,
                          View moment2) {
    const bodies::AdamCorrection correction = bodies::correction_of(rule);
    each(stream_, weights.elements,
         [rule, correction, g = typed(gradient), w = typed(weights), m1 = typed(moment1),
          m2 = typed(moment2)] __device__(std::int64_t i) {
             bodies::adam(rule, correction, i, g, w, m1, m2);
         });
}

void CudaOperations::round_to(graph::DType, View) {}  // it lies in memory as its dtype says

}  // namespace prismllm::device::cuda
