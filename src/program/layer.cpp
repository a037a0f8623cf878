// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "layer.hpp"

#include <vector>

#include "prismllm/program/kernels.hpp"

#include "hidden_dropout.hpp"
#include "linear.hpp"
#include "norm.hpp"

namespace prismllm::program {
namespace {

bool recomputes_attention(const Context& c) {
    return c.setup.training.recompute == target::Recompute::selective;
}

/// Releases those of `buffers` that exist.
void release_unless(bool keep, const Context& c, std::initializer_list<Buffer> buffers) {
    for (const Buffer& buffer : buffers) {
        if (!keep && buffer.exists()) {
            c.release({buffer});
        }
    }
}

/// Gradient through a norm and the residual branch beside it: norm_backward(grad) + branch.
/// Consumes `grad` and `branch`.
Buffer norm_gradient(const Context& c, const Norm& n, Buffer grad, Buffer in, Buffer branch) {
    const Buffer out = norm_backward(c, n, grad, in, "residual gradient");
    c.compute(elementwise(Operation::add, c.setup.activation,
                          c.sizes().sharded_tokens * c.sizes().hidden, 2, 1),
              {out, branch}, {out});
    c.release({grad, branch});
    return out;
}

/// in + dropout(update + bias), [sharded tokens, hidden]. Consumes `update`; allocates `mask`
/// where the model drops.
Buffer added(const Context& c, Buffer in, Buffer update, const Parameter& bias,
             std::string_view name, Buffer& mask) {
    const std::int64_t elements = c.sizes().sharded_tokens * c.sizes().hidden;
    const Buffer out = c.activation(name, elements);
    std::vector<Buffer> reads{in, update};
    if (bias.exists()) {
        reads.push_back(bias.weight);
    }
    std::vector<Buffer> writes{out};
    mask = allocate_mask(c);
    if (mask.exists()) {
        writes.push_back(mask);
    }
    c.compute(residual_add(c.setup.activation, elements,
                           mask.exists() ? DropoutMask::written : DropoutMask::none),
              reads, writes);
    c.release({update});
    return out;
}

/// row_backward of the gradient behind dropout. Keeps `grad`, consumes `mask`.
Buffer dropped_row_backward(const Context& c, const Linear& layer, Buffer in, Buffer grad,
                            Buffer mask, std::string_view name) {
    const Buffer update = undropped(c, grad, mask);
    const Buffer grad_in = row_backward(c, layer, in, update, name);
    if (mask.exists()) {
        c.release({update});
    }
    return grad_in;
}

/// Rotary embedding of the query and key columns, in place.
void rotate(const Context& c, Direction direction, Buffer queries_keys) {
    const Sizes& s = c.sizes();
    if (c.setup.model.positions == target::PositionKind::rope) {
        const std::int64_t columns = s.query_columns + s.kv_heads * s.head_dim;
        c.compute(rope(direction, c.setup.activation, s.tokens, columns), {queries_keys},
                  {queries_keys});
    }
}

AttentionInput attention_input(const SavedLayer& saved) {
    return {saved.normed_heads.exists() ? saved.normed_heads : saved.qkv, saved.qkv};
}

}  // namespace

LayerOutput layer_forward(const Context& c, const LayerWeights& w, Buffer input, bool keep,
                          const ModuleHook& before) {
    const Sizes& s = c.sizes();
    LayerOutput result;
    SavedLayer& saved = result.saved;
    saved.input = input;
    saved.complete = keep;

    before(w.qkv.module);
    saved.norm1 = norm_forward(c, w.norm1, input, "norm 1 output");
    saved.qkv = column_forward(c, w.qkv, saved.norm1);
    release_unless(keep, c, {saved.norm1});
    if (c.setup.model.qk_norm) {
        saved.normed_heads = head_norms_forward(c, w, saved.qkv);
    }
    rotate(c, Direction::forward, attention_input(saved).queries_keys);
    saved.context = attention_forward(c, attention_input(saved), keep && !recomputes_attention(c),
                                      saved.attention);
    release_unless(keep, c, {saved.normed_heads, saved.qkv});
    before(w.projection.module);
    const Buffer attended = row_forward(c, w.projection, saved.context);
    release_unless(keep, c, {saved.context});
    saved.residual =
        added(c, input, attended, w.projection.bias, "attention residual", saved.attention_mask);

    before(w.fc1.module);
    saved.norm2 = norm_forward(c, w.norm2, saved.residual, "norm 2 output");
    saved.fc1 = column_forward(c, w.fc1, saved.norm2);
    release_unless(keep, c, {saved.norm2});
    saved.activated = c.activation("activation output", s.tokens * s.ffn);
    c.compute(activation(KernelKind::activation_forward, c.setup.activation, s.tokens, s.ffn,
                         c.setup.model.gated_mlp),
              {saved.fc1}, {saved.activated});
    release_unless(keep, c, {saved.fc1});
    before(w.fc2.module);
    const Buffer transformed = row_forward(c, w.fc2, saved.activated);
    release_unless(keep, c, {saved.activated});
    result.output =
        added(c, saved.residual, transformed, w.fc2.bias, "layer output", saved.mlp_mask);
    release_unless(keep, c, {saved.residual, saved.attention_mask, saved.mlp_mask});
    return result;
}

namespace {

/// Consumes `grad`; returns the gradient of the attention residual.
Buffer mlp_backward(const Context& c, const LayerWeights& w, const SavedLayer& saved, Buffer grad,
                    const ModuleHook& done) {
    const Sizes& s = c.sizes();
    const Buffer grad_activated = dropped_row_backward(c, w.fc2, saved.activated, grad,
                                                       saved.mlp_mask, "activation gradient");
    done(w.fc2.module);
    const Buffer grad_fc1 = c.activation("fc1 gradient", s.tokens * s.fc1);
    c.compute(activation(KernelKind::activation_backward, c.setup.activation, s.tokens, s.ffn,
                         c.setup.model.gated_mlp),
              {saved.fc1, grad_activated}, {grad_fc1});
    c.release({saved.activated, saved.fc1, grad_activated});
    const Buffer grad_norm = column_backward(c, w.fc1, saved.norm2, grad_fc1);
    c.release({saved.norm2});
    const Buffer grad_residual = norm_gradient(c, w.norm2, grad_norm, saved.residual, grad);
    done(w.fc1.module);
    c.release({saved.residual});
    return grad_residual;
}

}  // namespace

Buffer layer_backward(const Context& c, const LayerWeights& w, SavedLayer saved, Buffer grad,
                      const ModuleHook& done) {
    if (!saved.complete) {
        c.executor.enter(graph::Phase::recompute);
        // Its weights have been there since the forward pass.
        LayerOutput again = layer_forward(c, w, saved.input, true, [](Module) {});
        c.release({again.output});
        saved = again.saved;
        c.executor.enter(graph::Phase::backward);
    }
    const Buffer grad_residual = mlp_backward(c, w, saved, grad, done);
    const Buffer grad_context = dropped_row_backward(c, w.projection, saved.context, grad_residual,
                                                     saved.attention_mask, "context gradient");
    done(w.projection.module);
    const AttentionInput heads = attention_input(saved);
    if (recomputes_attention(c)) {
        c.executor.enter(graph::Phase::recompute);
        c.release({attention_forward(c, heads, true, saved.attention)});
        c.executor.enter(graph::Phase::backward);
    }
    const Buffer grad_qkv =
        attention_backward(c, heads, saved.context, grad_context, saved.attention);
    rotate(c, Direction::backward, grad_qkv);
    if (saved.normed_heads.exists()) {
        head_norms_backward(c, w, saved.qkv, grad_qkv);
        c.release({saved.normed_heads});
    }
    c.release({saved.qkv});
    const Buffer grad_norm = column_backward(c, w.qkv, saved.norm1, grad_qkv);
    c.release({saved.norm1});
    const Buffer grad_input = norm_gradient(c, w.norm1, grad_norm, saved.input, grad_residual);
    done(w.qkv.module);
    c.release({saved.input});
    return grad_input;
}

}  // namespace prismllm::program
