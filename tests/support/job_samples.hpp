// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Target jobs that several tiers start from.
#pragma once

#include "prismllm/target/job.hpp"

namespace prismllm::target {

/// One rank of a Llama-like model of bytes that trains in milliseconds: fp32, 8 micro-batches.
inline Job tiny_job() {
    Job job;
    job.model.layers = 4;
    job.model.hidden_size = 32;
    job.model.ffn_hidden_size = 48;
    job.model.attention_heads = 4;
    job.model.kv_heads = 4;
    job.model.vocab_size = 256;
    job.model.gated_mlp = true;
    job.parallel.world_size = 1;
    job.parallel.vocab_padding = 16;
    job.training.micro_batch_size = 1;
    job.training.global_batch_size = 8;
    job.training.sequence_length = 16;
    job.training.precision = Precision::fp32;
    return job;
}

/// GPT-3's choices instead of Llama's.
inline void make_gpt_like(Job& job) {
    job.model.gated_mlp = false;
    job.model.tied_embeddings = true;
    job.model.qkv_bias = job.model.attention_output_bias = job.model.mlp_bias = true;
    job.model.norm = NormKind::layernorm;
    job.model.positions = PositionKind::learned;
    job.model.max_positions = 128;
}

}  // namespace prismllm::target
