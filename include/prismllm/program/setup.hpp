// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/program/setup.hpp
/// Everything the training step needs to know of the target job, derived once.
#pragma once

#include <cstdint>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/target/job.hpp"
#include "prismllm/target/layout.hpp"

namespace prismllm::program {

/// Sizes of one rank's tensors, in elements unless named otherwise. Symbols as in Megatron-LM:
/// s sequence, b micro batch, h hidden, t tensor parallel size.
struct Sizes {
    std::int64_t tokens = 0;             ///< s*b, rows of a full activation
    std::int64_t sharded_tokens = 0;     ///< rows outside tensor-parallel regions: tokens/t with
                                         ///< sequence parallelism, else tokens
    std::int64_t pipeline_elements = 0;  ///< of one send between stages
    std::int64_t hidden = 0;
    std::int64_t heads = 0, kv_heads = 0, head_dim = 0;  ///< of this rank
    std::int64_t query_columns = 0, qkv_columns = 0;     ///< of this rank
    std::int64_t ffn = 0;    ///< MLP columns of this rank after the activation
    std::int64_t fc1 = 0;    ///< MLP columns before the activation (twice ffn when gated)
    std::int64_t vocab = 0;  ///< vocabulary rows of this rank, padded
};

struct Setup {
    target::Model model;
    target::Parallel parallel;
    target::Training training;
    target::Layout layout;
    target::FamilyNumbers families;
    /// Backward sends of a two-stage interleaved pipeline need their own communicator: both
    /// directions join the same two ranks (Megatron-LM takes the world group for it).
    graph::FamilyIndex backward_pipeline = 0;
    std::vector<graph::Family> family_list;
    Sizes sizes;
    graph::DType activation = graph::DType::bf16;  ///< dtype of activations and weights
    graph::DType linear = graph::DType::bf16;      ///< dtype of the operands of linear layers
    graph::DType gradient = graph::DType::fp32;    ///< dtype of main gradients
};

/// Derive the setup; bad_deck when the settings contradict each other or ask for something the
/// step does not do (context parallelism, models with experts).
[[nodiscard]] Expected<Setup> make_setup(const target::Job& job);

}  // namespace prismllm::program
