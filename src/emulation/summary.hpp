// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// From what lanes did to the tables of a result.
#pragma once

#include "prismllm/comm/communicator.hpp"
#include "prismllm/engine/engine.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/store/result_file.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::emulation {

/// Tables that follow from the graph alone: families, classes, coverage, names, warnings.
void describe_graph(const graph::ExecutionGraph& graph, store::ResultData& data);

/// Tables of what the lanes did, and the summary. @collective
void summarize(const comm::Communicator& comm, const graph::ExecutionGraph& graph,
               const engine::LaneResults& lanes, const target::Emulation& settings,
               store::ResultData& data);

}  // namespace prismllm::emulation
