// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/store/graph_file.hpp"

#include "complete_file.hpp"
#include "file_header.hpp"
#include "graph_tables.hpp"

namespace prismllm::store {
namespace {

std::vector<std::byte> make_file(const graph::ExecutionGraph& graph, const Provenance& provenance,
                                 Compression compression) {
    FileWriter file{compression};
    write_header(file, graph_format, graph.facts.title, provenance);
    write_graph_tables(file, graph);
    return std::move(file).finish();
}

Expected<StoredGraph> checked(Expected<StoredGraph> stored, const std::string& name) {
    if (stored) {
        if (auto status = graph::check_consistent(stored->graph); !status) {
            return tl::unexpected{with_context(status.error(), fmt::format("graph '{}'", name))};
        }
    }
    return stored;
}

StoredGraph read_all(const FileReader& file) {
    check_header(file, graph_format);
    return StoredGraph{read_graph_tables(file), read_provenance(file)};
}

}  // namespace

Status write_graph(const std::filesystem::path& path, const graph::ExecutionGraph& graph,
                   const Provenance& provenance) {
    UnfinishedFile file{path};
    if (auto status = file.write(make_file(graph, provenance, Compression{})); !status) {
        return status;
    }
    return file.commit();
}

Expected<StoredGraph> read_graph(const std::filesystem::path& path) {
    return checked(guarded_read(path.string(), [&] { return read_all(FileReader{path}); }),
                   path.string());
}

std::vector<std::byte> graph_image(const graph::ExecutionGraph& graph,
                                   const Provenance& provenance) {
    return make_file(graph, provenance, Compression{0});
}

Expected<StoredGraph> graph_from_image(std::span<const std::byte> image) {
    return checked(guarded_read("memory", [&] { return read_all(FileReader{image}); }), "memory");
}

}  // namespace prismllm::store
