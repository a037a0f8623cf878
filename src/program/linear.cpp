// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "linear.hpp"

#include "prismllm/program/kernels.hpp"

#include "accumulation.hpp"

namespace prismllm::program {
namespace {

/// The whole activation of a sequence-sharded one; the shard itself where nothing is sharded.
Buffer gathered(const Context& context, Buffer shard, std::int64_t columns) {
    if (!shards_sequence(context)) {
        return shard;
    }
    const Buffer whole = context.activation("gathered sequence", context.sizes().tokens * columns);
    blocking_collective(context, Stream::tensor_comm, gather_sequence(context, columns), shard,
                        whole);
    return whole;
}

void release_gathered(const Context& context, Buffer whole) {
    if (shards_sequence(context)) {
        context.release({whole});
    }
}

Kernel forward_gemm(const Context& c, const Linear& layer) {
    return gemm(layer.operands, c.sizes().tokens, layer.columns, layer.inner, GemmPass::forward,
                c.setup.activation);
}

Kernel input_gemm(const Context& c, const Linear& layer) {
    return gemm(layer.operands, c.sizes().tokens, layer.inner, layer.columns, GemmPass::dgrad,
                c.setup.activation);
}

Kernel weight_gemm(const Context& c, const Linear& layer) {
    return gemm(layer.operands, layer.columns, layer.inner, c.sizes().tokens, GemmPass::wgrad,
                c.setup.gradient);
}

void compute_weight_gradient(const Context& c, const Linear& layer, Buffer in, Buffer grad) {
    const Buffer gradient = layer.weight.gradient;
    c.compute(weight_gemm(c, layer), {grad, in, gradient}, {gradient});
}

/// Column sums of the `rows` gradients that the bias saw.
void compute_bias_gradient(const Context& c, const Linear& layer, Buffer grad, std::int64_t rows) {
    if (layer.bias.exists()) {
        const Buffer gradient = allocate_gradient(c, layer.bias, "bias gradient");
        c.compute(
            elementwise(Operation::column_sum, c.setup.activation, rows * layer.columns, 1, 0),
            {grad}, {gradient});
        add_to_main_gradient(c, layer.bias, gradient);
    }
}

}  // namespace

Buffer column_forward(const Context& context, const Linear& layer, Buffer in) {
    const Buffer whole = gathered(context, in, layer.inner);
    const Buffer out = context.activation(layer.output, context.sizes().tokens * layer.columns);
    if (layer.bias.exists()) {
        context.compute(forward_gemm(context, layer),
                        {whole, layer.weight.weight, layer.bias.weight}, {out});
    } else {
        context.compute(forward_gemm(context, layer), {whole, layer.weight.weight}, {out});
    }
    release_gathered(context, whole);
    return out;
}

Buffer column_backward(const Context& context, const Linear& layer, Buffer in, Buffer grad) {
    Executor& e = context.executor;
    const Sizes& s = context.sizes();
    const bool sharded = shards_sequence(context);
    Buffer whole = in;
    Event regathered;
    if (sharded) {
        whole = context.activation("gathered sequence", s.tokens * layer.inner);
        regathered = start_collective(context, Stream::tensor_comm,
                                      gather_sequence(context, layer.inner), in, whole);
    }
    Buffer grad_in = context.activation("input gradient", s.tokens * layer.inner);
    context.compute(input_gemm(context, layer), {grad, layer.weight.weight}, {grad_in});
    if (sharded) {
        e.wait(Stream::compute, regathered);
    }
    Buffer reduced = grad_in;
    Event reduction;
    if (sharded) {
        reduced = context.activation("input gradient shard", s.sharded_tokens * layer.inner);
        reduction = start_collective(context, Stream::tensor_comm,
                                     scatter_sequence(context, layer.inner), grad_in, reduced);
    } else if (has_tensor_group(context)) {
        reduction =
            start_collective(context, Stream::tensor_comm,
                             sum_partial(context, context.setup.activation, s.tokens * layer.inner),
                             grad_in, grad_in);
    }
    compute_weight_gradient(context, layer, whole, grad);
    compute_bias_gradient(context, layer, grad, s.tokens);
    context.release({grad});
    if (has_tensor_group(context)) {
        e.wait(Stream::compute, reduction);
    }
    if (sharded) {
        context.release({whole, grad_in});
    }
    return reduced;
}

Buffer row_forward(const Context& context, const Linear& layer, Buffer in) {
    const Buffer partial = context.activation(layer.output, context.sizes().tokens * layer.columns);
    context.compute(forward_gemm(context, layer), {in, layer.weight.weight}, {partial});
    return reduce_partial(context, partial, layer.output);
}

Buffer row_backward(const Context& context, const Linear& layer, Buffer in, Buffer grad,
                    std::string_view name) {
    const Buffer whole = gathered(context, grad, layer.columns);
    const Buffer grad_in = context.activation(name, context.sizes().tokens * layer.inner);
    context.compute(input_gemm(context, layer), {whole, layer.weight.weight}, {grad_in});
    compute_weight_gradient(context, layer, in, whole);
    // The bias is added to the reduced sum, which sequence parallelism shards.
    compute_bias_gradient(context, layer, grad, context.sizes().sharded_tokens);
    release_gathered(context, whole);
    return grad_in;
}

}  // namespace prismllm::program
