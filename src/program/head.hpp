// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Final norm, output layer and vocabulary-parallel cross entropy of the last virtual stage.
#pragma once

#include "context.hpp"
#include "weights.hpp"

namespace prismllm::program {

/// What the backward pass of one micro-batch needs.
struct SavedHead {
    Buffer input, normed;
    Buffer labels;        ///< ids, int64 [tokens]; data loading writes them
    Buffer exponentials;  ///< exp(logit - maximum), fp32 [tokens, vocabulary of this rank]
    Buffer sums;          ///< of the exponentials over the whole vocabulary, fp32 [tokens]
};

/// Consumes `input`; the loss of each token is computed and dropped.
void head_forward(const Context& context, const HeadWeights& weights, SavedHead& saved,
                  Buffer input, const ModuleHook& before);

struct HeadGradient {
    Buffer input;         ///< [sharded tokens, hidden]
    Buffer shared_table;  ///< of a tied table in this chunk, see head_backward
};

/// Consumes `saved`. The product that makes the weight gradient adds to the main gradient
/// itself. Where the embedding shares the table, autograd wants a gradient all the same and
/// gets zeros (Megatron-LM's zero_out_wgrad); they live until the embedding adds its own.
[[nodiscard]] HeadGradient head_backward(const Context& context, const HeadWeights& weights,
                                         const SavedHead& saved, const ModuleHook& done);

}  // namespace prismllm::program
