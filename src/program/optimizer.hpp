// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Gradient norm, clipping and Adam on fp32 master weights, sharded over data-parallel ranks
/// under the distributed optimizer.
#pragma once

#include <vector>

#include "chunk.hpp"

namespace prismllm::program {

class Optimizer {
public:
    /// Allocates master weights and both moments for the parameters of `chunks`.
    Optimizer(const Context& context, const std::vector<Chunk>& chunks);

    /// Sum the gradients that data-parallel reduction does not cover: norms under sequence
    /// parallelism over the tensor group, a tied embedding over the first and last stage.
    void finish_replicated_gradients();
    /// Gradient norm over all ranks that hold different parameters, clip, update.
    void step();

private:
    [[nodiscard]] bool shares_embedding() const;

    const Context& context_;
    const std::vector<Chunk>& chunks_;
    std::vector<std::int64_t> owned_;  ///< [chunk] parameters this rank updates
    std::vector<Buffer> master_, moment1_, moment2_;
};

}  // namespace prismllm::program
