// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// One transformer layer, forward and backward, as Megatron-LM computes it.
#pragma once

#include "context.hpp"
#include "weights.hpp"

namespace prismllm::program {

/// What the backward pass of core attention needs beside q, k and v.
struct SavedAttention {
    Buffer log_sum_exp;                   ///< fused attention
    Buffer probabilities, mask, dropped;  ///< unfused attention
};

/// What core attention reads.
struct AttentionInput {
    Buffer queries_keys;  ///< [tokens, query and key columns]: of `qkv`, or normed
    Buffer qkv;           ///< [tokens, qkv columns]: the values come from here
};

/// What the backward pass of a layer needs. `input` belongs to it too: it is released there.
struct SavedLayer {
    Buffer input, norm1, qkv, normed_heads, context, residual, norm2, fc1, activated;
    SavedAttention attention;
    bool complete = false;  ///< false: only `input` is kept, the rest is recomputed
};

struct LayerOutput {
    Buffer output;  ///< [sharded tokens, hidden]
    SavedLayer saved;
};

/// @param keep false: release every intermediate as soon as it is used (full recomputation).
/// @param before called with each module before it computes.
[[nodiscard]] LayerOutput layer_forward(const Context& context, const LayerWeights& weights,
                                        Buffer input, bool keep, const ModuleHook& before);

/// Consumes `saved` and `grad`; returns the gradient of the input. An incomplete `saved` is
/// computed again first.
/// @param done called with each module once its gradients are complete.
[[nodiscard]] Buffer layer_backward(const Context& context, const LayerWeights& weights,
                                    SavedLayer saved, Buffer grad, const ModuleHook& done);

/// Core attention: queries, keys and values to the context vectors [tokens, query columns].
/// Fills `saved` where `keep`, else releases what it made.
[[nodiscard]] Buffer attention_forward(const Context& context, const AttentionInput& in, bool keep,
                                       SavedAttention& saved);
/// Returns the gradient of qkv (of normed queries and keys where they are normed). Consumes
/// `saved`; releases `output` and `grad`.
[[nodiscard]] Buffer attention_backward(const Context& context, const AttentionInput& in,
                                        Buffer output, Buffer grad, const SavedAttention& saved);

}  // namespace prismllm::program
