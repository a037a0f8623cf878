// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The parameters of one model chunk by their place in the model. Names follow Megatron-LM's GPT
/// model with TransformerEngine layers, where a norm belongs to the linear layer behind it.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "prismllm/program/executor.hpp"
#include "prismllm/program/setup.hpp"

namespace prismllm::program {

/// One parameter tensor and its main gradient, of equally many elements.
struct Parameter {
    Buffer weight, gradient;

    [[nodiscard]] bool exists() const { return weight.exists(); }
};

/// Number of a module within its chunk, in model order. The weights of a module are needed
/// together, and its gradients are final together when its backward pass ends.
using Module = std::size_t;

/// Called with a module: before it computes, or when its gradients are complete.
using ModuleHook = std::function<void(Module)>;

/// [width] each. RMSNorm has no shift.
struct Norm {
    Parameter scale, shift;
};

/// Weight [columns of the output, inner]; bias [columns] where the model has it.
struct Linear {
    Parameter weight, bias;
    Module module = 0;
    graph::DType operands = graph::DType::bf16;  ///< of the products; fp8 in layers only
    std::int64_t columns = 0, inner = 0;         ///< of this rank
    const char* output = "";                     ///< name of the output tensor
};

struct EmbeddingWeights {
    Module module = 0;
    Parameter words;      ///< [vocabulary rows of this rank, hidden]
    Parameter positions;  ///< [max positions, hidden], learned positions only
    Norm norm;            ///< models with an embedding norm only
};

struct LayerWeights {
    Linear qkv, projection, fc1, fc2;
    Norm norm1, norm2;          ///< in the modules of qkv and fc1
    Norm query_norm, key_norm;  ///< [head dimension], in the module of qkv
};

struct HeadWeights {
    Module norm_module = 0;
    Norm norm;
    Linear linear;
    bool shares_words = false;  ///< `linear.weight` is the embedding's table of this chunk
};

struct ChunkWeights {
    EmbeddingWeights embedding;  ///< first virtual stage
    std::vector<LayerWeights> layers;
    HeadWeights head;  ///< last virtual stage
};

/// Tensor ranks that hold the same parameter sum its gradients.
enum class Replication : std::uint8_t {
    none,      ///< sharded, or its gradient is whole on every tensor rank
    sequence,  ///< gradient of the own part of the sequence (under sequence parallelism)
    heads,     ///< gradient of the own attention heads
};

struct TensorShape {
    std::int64_t elements = 0;
    Module module = 0;
    ParameterPart part{};
    Replication replication = Replication::none;
    bool shared_between_stages = false;  ///< the table of a tied embedding or head
    bool on_all_tensor_ranks = false;    ///< not cut
};

/// Gives the next parameter tensor its place.
using TensorTaker = std::function<Parameter(const TensorShape&)>;

/// Asks `take` for all parameters of a chunk in the order of Megatron-LM's named_parameters.
/// @param tensor_rank position in the tensor group: which part of a cut tensor is meant.
[[nodiscard]] ChunkWeights make_weights(const Setup& setup, const target::StageWork& work,
                                        std::int64_t tensor_rank, const TensorTaker& take);

}  // namespace prismllm::program
