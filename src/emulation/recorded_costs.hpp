// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Costs of a graph as a native run of the same job took them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "prismllm/emulation/measure.hpp"
#include "prismllm/graph/execution_graph.hpp"

#include "call_keys.hpp"
#include "recording_pace.hpp"

namespace prismllm::emulation {

/// Collects what the ops of all ranks took. A kernel takes from when its stream was free to its
/// end; a call from when all of its members were ready (of an eager message: the sender). Nothing
/// of a message goes on before the host looks at it, so that what it takes begins then at the
/// earliest.
class RecordedCosts {
public:
    /// The graph outlives the object.
    explicit RecordedCosts(const graph::ExecutionGraph& graph);

    /// One step.
    /// @param times [rank], by one clock.
    void add(const std::vector<RecordingPace::Times>& times);

    /// Give `graph`, which is the same but for its costs, the means (provenance measured): sums of
    /// them are to be the times of iterations.
    [[nodiscard]] MeasuredKernels give(graph::ExecutionGraph& graph) const;
    /// What the kernels of each rank took beside the mean of its class, [rank]: processes on cores
    /// of unlike speed.
    [[nodiscard]] std::vector<double> rank_factors() const;

private:
    struct Meeting {
        std::int64_t ready_ps = 0;       ///< of the member that came last
        std::int64_t send_ready_ps = 0;  ///< of a message's sender
    };
    const graph::ExecutionGraph& graph_;
    CallKeys keys_;
    std::vector<std::vector<std::int64_t>> kernels_;  ///< [kernel][sample]
    std::vector<double> busy_ps_;                     ///< [rank]
    /// Samples of communication, shape.
    std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::int64_t>> calls_;
};

}  // namespace prismllm::emulation
