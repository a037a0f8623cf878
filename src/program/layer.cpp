// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "layer.hpp"

#include "kernels.hpp"

namespace prismllm::program {
namespace {

bool recomputes_attention(const Context& c) {
    return c.setup.training.recompute == target::Recompute::selective;
}

void release_unless(bool keep, const Context& c, std::initializer_list<Buffer> buffers) {
    if (!keep) {
        c.release(buffers);
    }
}

Buffer normalized(const Context& c, Buffer in, Buffer weights, std::string_view name) {
    const Sizes& s = c.sizes();
    const Buffer out = c.activation(name, s.sharded_tokens * s.hidden);
    c.compute(norm(KernelKind::norm_forward, c.setup.activation, s.sharded_tokens, s.hidden),
              {in, weights}, {out});
    return out;
}

/// Gradient through a norm and the residual branch beside it: norm_backward(grad) + branch.
/// Consumes `grad` and `branch`.
Buffer norm_gradient(const Context& c, const LayerWeights& w, Buffer grad, Buffer in,
                     Buffer branch) {
    const Sizes& s = c.sizes();
    const std::int64_t elements = s.sharded_tokens * s.hidden;
    const Buffer out = c.activation("residual gradient", elements);
    c.compute(norm(KernelKind::norm_backward, c.setup.activation, s.sharded_tokens, s.hidden),
              {grad, in, w.norms}, {out, w.norm_gradients});
    c.compute(elementwise(c.setup.activation, elements, 2, 1), {out, branch}, {out});
    c.release({grad, branch});
    return out;
}

/// in + update, [sharded tokens, hidden]. Consumes `update`.
Buffer added(const Context& c, Buffer in, Buffer update, std::string_view name) {
    const std::int64_t elements = c.sizes().sharded_tokens * c.sizes().hidden;
    const Buffer out = c.activation(name, elements);
    c.compute(residual_add(c.setup.activation, elements), {in, update}, {out});
    c.release({update});
    return out;
}

/// Rotary embedding (and norms) of queries and keys, in place; the same work in both passes.
void position_heads(const Context& c, Buffer qkv, bool forward) {
    const Sizes& s = c.sizes();
    const std::int64_t columns = s.query_columns + s.kv_heads * s.head_dim;
    if (c.setup.model.qk_norm) {
        const KernelKind kind = forward ? KernelKind::norm_forward : KernelKind::norm_backward;
        c.compute(norm(kind, c.setup.activation, s.tokens * (s.heads + s.kv_heads), s.head_dim),
                  {qkv}, {qkv});
    }
    if (c.setup.model.positions == target::PositionKind::rope) {
        c.compute(rope(c.setup.activation, s.tokens, columns), {qkv}, {qkv});
    }
}

}  // namespace

LayerOutput layer_forward(const Context& c, const LayerWeights& w, Buffer input, bool keep) {
    const Sizes& s = c.sizes();
    LayerOutput result;
    SavedLayer& saved = result.saved;
    saved.input = input;
    saved.complete = keep;

    saved.norm1 = normalized(c, input, w.norms, "norm 1 output");
    saved.qkv = column_forward(c, w.qkv, saved.norm1);
    release_unless(keep, c, {saved.norm1});
    position_heads(c, saved.qkv, true);
    saved.context =
        attention_forward(c, saved.qkv, keep && !recomputes_attention(c), saved.attention);
    release_unless(keep, c, {saved.qkv});
    const Buffer attended = row_forward(c, w.projection, saved.context);
    release_unless(keep, c, {saved.context});
    saved.residual = added(c, input, attended, "attention residual");

    saved.norm2 = normalized(c, saved.residual, w.norms, "norm 2 output");
    saved.fc1 = column_forward(c, w.fc1, saved.norm2);
    release_unless(keep, c, {saved.norm2});
    saved.activated = c.activation("activation output", s.tokens * s.ffn);
    c.compute(activation(KernelKind::activation_forward, c.setup.activation, s.tokens, s.ffn,
                         c.setup.model.gated_mlp),
              {saved.fc1}, {saved.activated});
    release_unless(keep, c, {saved.fc1});
    const Buffer transformed = row_forward(c, w.fc2, saved.activated);
    release_unless(keep, c, {saved.activated});
    result.output = added(c, saved.residual, transformed, "layer output");
    release_unless(keep, c, {saved.residual});
    return result;
}

namespace {

/// Consumes `grad`; returns the gradient of the attention residual.
Buffer mlp_backward(const Context& c, const LayerWeights& w, const SavedLayer& saved, Buffer grad) {
    const Sizes& s = c.sizes();
    const Buffer grad_activated =
        row_backward(c, w.fc2, saved.activated, grad, "activation gradient");
    const Buffer grad_fc1 = c.activation("fc1 gradient", s.tokens * s.fc1);
    c.compute(activation(KernelKind::activation_backward, c.setup.activation, s.tokens, s.ffn,
                         c.setup.model.gated_mlp),
              {saved.fc1, grad_activated}, {grad_fc1});
    c.release({saved.activated, saved.fc1, grad_activated});
    const Buffer grad_norm = column_backward(c, w.fc1, saved.norm2, grad_fc1);
    c.release({saved.norm2});
    const Buffer grad_residual = norm_gradient(c, w, grad_norm, saved.residual, grad);
    c.release({saved.residual});
    return grad_residual;
}

}  // namespace

Buffer layer_backward(const Context& c, const LayerWeights& w, SavedLayer saved, Buffer grad) {
    if (!saved.complete) {
        c.executor.enter(graph::Phase::recompute);
        LayerOutput again = layer_forward(c, w, saved.input, true);
        c.release({again.output});
        saved = again.saved;
        c.executor.enter(graph::Phase::backward);
    }
    const Buffer grad_residual = mlp_backward(c, w, saved, grad);
    const Buffer grad_context =
        row_backward(c, w.projection, saved.context, grad_residual, "context gradient");
    if (recomputes_attention(c)) {
        c.executor.enter(graph::Phase::recompute);
        c.release({attention_forward(c, saved.qkv, true, saved.attention)});
        c.executor.enter(graph::Phase::backward);
    }
    const Buffer grad_qkv =
        attention_backward(c, saved.qkv, saved.context, grad_context, saved.attention);
    position_heads(c, grad_qkv, false);
    c.release({saved.qkv});
    const Buffer grad_norm = column_backward(c, w.qkv, saved.norm1, grad_qkv);
    c.release({saved.norm1});
    const Buffer grad_input = norm_gradient(c, w, grad_norm, saved.input, grad_residual);
    c.release({saved.input});
    return grad_input;
}

}  // namespace prismllm::program
