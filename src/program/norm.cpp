// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "norm.hpp"

#include "kernels.hpp"

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
    if (n.shift.exists()) {
        c.compute(kernel, {grad, in, n.scale.weight, n.scale.gradient, n.shift.gradient},
                  {out, n.scale.gradient, n.shift.gradient});
    } else {
        c.compute(kernel, {grad, in, n.scale.weight, n.scale.gradient}, {out, n.scale.gradient});
    }
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
    c.compute(head_norm(c, KernelKind::norm_backward),
              {grad_qkv, qkv, query.weight, key.weight, query.gradient, key.gradient},
              {grad_qkv, query.gradient, key.gradient});
}

}  // namespace prismllm::program
