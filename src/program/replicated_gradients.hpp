// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Gradients of parameters that ranks of one replica hold alike: data-parallel reduction does not
/// bring them together (Megatron-LM's finalize_model_grads).
#pragma once

#include <vector>

#include "chunk.hpp"

namespace prismllm::program {

/// Over the tensor group: parameters whose ranks saw only their part of the sequence (norms,
/// biases of row-parallel layers; under sequence parallelism) or their attention heads. They are
/// copied into one tensor, summed, and copied back.
void reduce_over_tensor_ranks(const Context& context, const std::vector<Chunk>& chunks);

/// Over the first and the last stage: the table of a tied embedding, of which both have a copy.
void reduce_tied_table(const Context& context, const std::vector<Chunk>& chunks);

}  // namespace prismllm::program
