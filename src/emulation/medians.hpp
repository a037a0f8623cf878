// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Durations out of samples.
#pragma once

#include <cstdint>
#include <vector>

#include "prismllm/emulation/measure.hpp"
#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::emulation {

using Samples = std::vector<std::int64_t>;

/// Value with a part `q` of the samples below it. Reorders them. @pre not empty
[[nodiscard]] std::int64_t quantile(Samples& samples, double q);

/// Gives kernels the medians of their samples, [kernel], and their spread; those without samples
/// keep what they have.
MeasuredKernels take_medians(std::vector<Samples>& samples, graph::ExecutionGraph& graph);

}  // namespace prismllm::emulation
