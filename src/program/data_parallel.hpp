// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Gradient reduction and (distributed optimizer) parameter gathering over data-parallel ranks.
#pragma once

#include <vector>

#include "chunk.hpp"

namespace prismllm::program {

/// Elements of `total` that one data-parallel rank owns under the distributed optimizer.
[[nodiscard]] std::int64_t owned_elements(const Setup& setup, std::int64_t total);

/// Communication of the buckets of one chunk.
class DataParallel {
public:
    DataParallel(const Context& context, const Chunk& chunk);

    /// Start gathering the weights the optimizer of the last iteration updated.
    void start_gathers();
    /// The compute stream waits for the weights of a unit; later calls for it cost nothing.
    void await_weights(std::size_t unit);
    /// A unit's gradient is complete; starts the bucket's reduction with its last unit.
    void gradient_ready(std::size_t unit);
    /// Reduce what was not started yet, and let the compute stream wait for all of it.
    void finish_reduction();
    /// Gather updated weights now (no overlap with the next forward pass).
    void gather_now();

private:
    [[nodiscard]] graph::Communication reduction(const Bucket& bucket) const;
    [[nodiscard]] graph::Communication gathering(const Bucket& bucket) const;
    [[nodiscard]] Event start(const graph::Communication& call, Buffer in, Buffer out);
    void start_reduction(std::size_t bucket);

    const Context& context_;
    const Chunk& chunk_;
    bool active_;                            ///< more than one data-parallel rank
    std::vector<Event> gathered_, reduced_;  ///< [bucket]
    std::vector<char> gather_pending_, reduction_started_;
};

}  // namespace prismllm::program
