// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// One model chunk of one rank: embedding, layers, head and loss, forward and backward of one
/// micro-batch.
#pragma once

#include <vector>

#include "embedding.hpp"
#include "head.hpp"
#include "layer.hpp"
#include "parameters.hpp"

namespace prismllm::program {

/// What the backward pass of one micro-batch on one chunk needs.
struct SavedChunk {
    SavedEmbedding embedding;  ///< first virtual stage
    std::vector<SavedLayer> layers;
    SavedHead head;  ///< last virtual stage
};

class Chunk {
public:
    /// Allocates the chunk's parameters.
    Chunk(const Context& context, std::int64_t number);

    [[nodiscard]] const target::StageWork& work() const { return work_; }
    [[nodiscard]] const ChunkParameters& parameters() const { return parameters_; }

    /// @param input activation from the stage before; ignored on the first virtual stage.
    /// @param before called with each module before it computes.
    /// @return the activation for the next stage; on the last virtual stage nothing that lives.
    Buffer forward(std::int64_t micro_batch, Buffer input, const ModuleHook& before);
    /// @param grad gradient from the next stage; ignored on the last virtual stage. Consumed.
    /// @param done called with each module once its gradients are complete.
    /// @return gradient for the stage before; on the first virtual stage nothing that lives.
    Buffer backward(std::int64_t micro_batch, Buffer grad, const ModuleHook& done);

private:
    const Context& context_;
    target::StageWork work_;
    ChunkParameters parameters_;
    std::vector<SavedChunk> saved_;  ///< [micro-batch]
};

}  // namespace prismllm::program
