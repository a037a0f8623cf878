// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// One transformer layer, forward and backward, as Megatron-LM computes it.
#pragma once

#include "context.hpp"
#include "parameters.hpp"

namespace prismllm::program {

/// What the backward pass of core attention needs beside q, k and v.
struct SavedAttention {
    Buffer log_sum_exp;                   ///< fused attention
    Buffer probabilities, mask, dropped;  ///< unfused attention
};

/// What the backward pass of a layer needs. `input` belongs to it too: it is released there.
struct SavedLayer {
    Buffer input, norm1, qkv, context, residual, norm2, fc1, activated;
    SavedAttention attention;
    bool complete = false;  ///< false: only `input` is kept, the rest is recomputed
};

struct LayerOutput {
    Buffer output;  ///< [sharded tokens, hidden]
    SavedLayer saved;
};

/// @param keep false: release every intermediate as soon as it is used (full recomputation).
[[nodiscard]] LayerOutput layer_forward(const Context& context, const LayerWeights& weights,
                                        Buffer input, bool keep);

/// Consumes `saved` and `grad`; returns the gradient of the input. An incomplete `saved` is
/// computed again first.
[[nodiscard]] Buffer layer_backward(const Context& context, const LayerWeights& weights,
                                    SavedLayer saved, Buffer grad);

/// Core attention: q, k, v of `qkv` to the context vectors [tokens, query columns].
/// Fills `saved` where `keep`, else releases what it made.
[[nodiscard]] Buffer attention_forward(const Context& context, Buffer qkv, bool keep,
                                       SavedAttention& saved);
/// Returns the gradient of qkv. Consumes `saved`; releases `output` and `grad`.
[[nodiscard]] Buffer attention_backward(const Context& context, Buffer qkv, Buffer output,
                                        Buffer grad, const SavedAttention& saved);

}  // namespace prismllm::program
