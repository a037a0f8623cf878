// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Gradient reduction and (distributed optimizer) parameter gathering over data-parallel ranks.
#pragma once

#include <vector>

#include "chunk.hpp"

namespace prismllm::program {

/// Communication of the buckets of one chunk.
class DataParallel {
public:
    DataParallel(const Context& context, const Chunk& chunk);

    /// Start gathering the weights the optimizer of the last iteration updated.
    void start_gathers();
    /// The compute stream waits for the weights of a module; later calls for it cost nothing.
    void await_weights(Module module);
    /// A module's gradients are complete; starts the reduction of each bucket it completes.
    void gradients_ready(Module module);
    /// Reduce what was not started yet, and let the compute stream wait for all of it.
    void finish_reduction();
    /// Gather updated weights now (no overlap with the next forward pass).
    void gather_now();

private:
    [[nodiscard]] graph::Communication reduction(const Bucket& bucket) const;
    [[nodiscard]] graph::Communication gathering(const Bucket& bucket) const;
    void start_reduction(std::size_t bucket);

    /// Communication of one bucket in this iteration.
    struct Progress {
        Event gathered, reduced;
        bool gather_pending = false, reduction_started = false;
        std::size_t modules_ready = 0;
    };

    const Context& context_;
    const ChunkParameters& parameters_;
    bool active_;                     ///< more than one data-parallel rank
    std::vector<Progress> progress_;  ///< [bucket]
};

}  // namespace prismllm::program
