// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The content of a graph file, group by group: docs/reference/formats/graph.md.
#pragma once

#include "prismllm/graph/execution_graph.hpp"

#include "reader.hpp"
#include "writer.hpp"

namespace prismllm::store {

void write_graph_tables(FileWriter& file, const graph::ExecutionGraph& graph);
/// The graph as the file says it; not yet checked for consistency.
[[nodiscard]] graph::ExecutionGraph read_graph_tables(const FileReader& file);

}  // namespace prismllm::store
