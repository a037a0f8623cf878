// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/measure.hpp
/// Slicing by execution: kernel durations as this machine takes them.
#pragma once

#include <cstdint>
#include <functional>

#include "prismllm/base/error.hpp"
#include "prismllm/emulation/run.hpp"
#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::emulation {

struct MeasuredKernels {
    std::int64_t ranks = 0;    ///< played, one after the other
    std::int64_t kernels = 0;  ///< descriptions
    std::int64_t samples = 0;  ///< kernel launches timed
    /// Median over the descriptions of their spread: the middle half of the samples, as a part of
    /// their median.
    double spread = 0;
};

/// Executes a rank of each class in turn, all its peers virtual, and gives every kernel of the
/// graph the median of its durations (provenance measured). A rank's memory is freed before the
/// next one begins. Communication keeps its costs: what it would take on the target's network.
/// @param repeats steps timed of each rank, after one that is not.
/// @param cancelled asked between steps.
/// @return bad_deck as check_native; resources where a rank does not fit into memory; interrupted.
/// @throws SystemError (job_failed) where the graph is not the program's.
/// @local
[[nodiscard]] Expected<MeasuredKernels> measure_kernels(graph::ExecutionGraph& graph,
                                                        const RealProgram& program,
                                                        std::int64_t repeats,
                                                        const std::function<bool()>& cancelled);

}  // namespace prismllm::emulation
