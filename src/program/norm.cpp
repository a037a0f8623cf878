// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "norm.hpp"

#include "prismllm/program/kernels.hpp"

#include "accumulation.hpp"

namespace prismllm::program {
namespace {

Kernel token_norm(const Context& c, KernelKind kind) {
    return norm(kind, c.setup.activation, c.sizes().sharded_tokens, c.sizes().hidden);
}

Kernel head_norm(const Context& c, KernelKind kind) {
    const Sizes& s = c.sizes();
    return norm(kind, c.setup.activation, s.tokens * (s.heads + s.kv_heads), s.head_dim);
}

}  // namespace

Buffer norm_forward(const Context& c, const Norm& n, Buffer in, std::string_view name) {
    const Buffer out = c.activation(name, c.sizes().sharded_tokens * c.sizes().hidden);
    const Kernel kernel = token_norm(c, KernelKind::norm_forward);
    if (n.shift.exists()) {
        c.compute(kernel, {in, n.scale.weight, n.shift.weight}, {out});
    } else {
        c.compute(kernel, {in, n.scale.weight}, {out});
    }
    return out;
}

Buffer norm_backward(const Context& c, const Norm& n, Buffer grad, Buffer in,
                     std::string_view name) {
    const Buffer out = c.activation(name, c.sizes().sharded_tokens * c.sizes().hidden);
    const Kernel kernel = token_norm(c, KernelKind::norm_backward);
    const Buffer grad_scale = allocate_gradient(c, n.scale, "norm gradient");
    if (n.shift.exists()) {
        const Buffer grad_shift = allocate_gradient(c, n.shift, "norm gradient");
        c.compute(kernel, {grad, in, n.scale.weight}, {out, grad_scale, grad_shift});
        add_to_main_gradient(c, n.shift, grad_shift);
    } else {
        c.compute(kernel, {grad, in, n.scale.weight}, {out, grad_scale});
    }
    add_to_main_gradient(c, n.scale, grad_scale);
    return out;
}

Buffer head_norms_forward(const Context& c, const LayerWeights& w, Buffer qkv) {
    const Sizes& s = c.sizes();
    const Buffer normed = c.activation("normed queries and keys",
                                       s.tokens * (s.query_columns + s.kv_heads * s.head_dim));
    c.compute(head_norm(c, KernelKind::norm_forward),
              {qkv, w.query_norm.scale.weight, w.key_norm.scale.weight}, {normed});
    return normed;
}

void head_norms_backward(const Context& c, const LayerWeights& w, Buffer qkv, Buffer grad_qkv) {
    const Parameter& query = w.query_norm.scale;
    const Parameter& key = w.key_norm.scale;
    const Buffer grad_query = allocate_gradient(c, query, "head norm gradient");
    const Buffer grad_key = allocate_gradient(c, key, "head norm gradient");
    c.compute(head_norm(c, KernelKind::norm_backward), {grad_qkv, qkv, query.weight, key.weight},
              {grad_qkv, grad_query, grad_key});
    add_to_main_gradient(c, query, grad_query);
    add_to_main_gradient(c, key, grad_key);
}

}  // namespace prismllm::program
