// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/store/graph_file.hpp
/// Execution graphs on disk and in memory (docs/reference/formats/graph.md). A file's size
/// follows the number of rank classes, not of ranks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/store/provenance.hpp"

namespace prismllm::store {

struct StoredGraph {
    graph::ExecutionGraph graph;  ///< passed graph::check_consistent
    Provenance provenance;
};

/// Write a graph file. It appears under `path` when it is complete: it grows as
/// `<path>.<mark>.tmp`, which is removed on failure. The destination is overwritten.
/// @return resources when the disk is full, system on any other failure, naming the file.
/// @local
[[nodiscard]] Status write_graph(const std::filesystem::path& path,
                                 const graph::ExecutionGraph& graph, const Provenance& provenance);

/// @return bad_input naming the file, what is wrong and where in it, whatever the bytes are.
/// @local
[[nodiscard]] Expected<StoredGraph> read_graph(const std::filesystem::path& path);

/// The same file as bytes, hardly compressed: meant to be broadcast, not to be kept.
/// Throws SystemError when memory runs out. @local
[[nodiscard]] std::vector<std::byte> graph_image(const graph::ExecutionGraph& graph,
                                                 const Provenance& provenance);

/// Inverse of graph_image; also takes the bytes of a graph file. @local
[[nodiscard]] Expected<StoredGraph> graph_from_image(std::span<const std::byte> image);

}  // namespace prismllm::store
