// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// One model chunk of one rank: embedding, layers, head and loss, forward and backward of one
/// micro-batch.
#pragma once

#include <functional>
#include <vector>

#include "layer.hpp"

namespace prismllm::program {

struct SavedHead {
    Buffer input, normed, probabilities;
};

/// What the backward pass of one micro-batch on one chunk needs.
struct SavedChunk {
    Buffer tokens;  ///< first virtual stage
    std::vector<SavedLayer> layers;
    SavedHead head;  ///< last virtual stage
};

class Chunk {
public:
    /// Allocates the chunk's parameters.
    Chunk(const Context& context, std::int64_t number);

    [[nodiscard]] const target::StageWork& work() const { return work_; }
    [[nodiscard]] const ChunkParameters& parameters() const { return parameters_; }

    /// Called with the index of a unit: before it is first used in a forward pass, and when its
    /// gradient is complete in a backward pass.
    using UnitHook = std::function<void(std::size_t)>;

    /// @param input activation from the stage before; ignored on the first virtual stage.
    /// @return the activation for the next stage; on the last virtual stage nothing that lives.
    Buffer forward(std::int64_t micro_batch, Buffer input, const UnitHook& before_unit);
    /// @param grad gradient from the next stage; ignored on the last virtual stage. Consumed.
    /// @return gradient for the stage before; on the first virtual stage nothing that lives.
    Buffer backward(std::int64_t micro_batch, Buffer grad, const UnitHook& after_unit);

private:
    [[nodiscard]] Buffer embed(const Unit& unit, SavedChunk& saved);
    void embed_backward(const Unit& unit, const SavedChunk& saved, Buffer grad);
    void head_forward(const Unit& unit, SavedHead& saved, Buffer input);
    [[nodiscard]] Buffer head_backward(const Unit& unit, const SavedHead& saved);
    [[nodiscard]] Linear head_linear(const Unit& unit) const;
    [[nodiscard]] Buffer run_unit(const Unit& unit, SavedChunk& saved, Buffer input);

    const Context& context_;
    target::StageWork work_;
    ChunkParameters parameters_;
    std::vector<SavedChunk> saved_;  ///< [micro-batch]
};

}  // namespace prismllm::program
