// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include "prismllm/emulation/slice.hpp"
#include "prismllm/store/graph_file.hpp"

#include "commands.hpp"
#include "job_options.hpp"

namespace prismllm::cli {
namespace {

struct SliceOptions {
    DeckOptions deck;
    std::string output;
};

Status slice(const SliceOptions& options) {
    auto deck = options.deck.load();
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    auto graph = emulation::slice_and_prove(deck->job);
    if (!graph) {
        return tl::unexpected{graph.error()};
    }
    const std::string path =
        !options.output.empty()
            ? options.output
            : std::filesystem::path(options.deck.path).stem().string() + ".graph.h5";
    if (auto ok = guard_output(path, {options.deck.path}); !ok) {
        return ok;
    }
    const Replaced replaced{path, deck->sha256};
    if (auto ok = store::write_graph(path, *graph, make_provenance(*deck)); !ok) {
        return ok;
    }
    replaced.tell();
    return print(fmt::format("{}: {} ranks in {} class(es), {} timed ops an iteration\n", path,
                             graph->world_size, graph->classes.size(), participant_ops(*graph)));
}

}  // namespace

Command add_slice(CLI::App& parent) {
    CLI::App* app =
        parent.add_subcommand("slice", "Write the execution graph of a deck's job (no MPI)");
    auto options = std::make_shared<SliceOptions>();
    options->deck.add_to(*app);
    app->add_option("-o,--output", options->output, "Graph file (default: <deck name>.graph.h5)");
    app->footer(
        "Examples:\n"
        "  prismllm slice inputs/decks/llama3.1_405b_h100_8192.toml -o 405b.graph.h5\n"
        "  mpirun -np 2 prismllm emulate 405b.graph.h5");
    return {app, [options] { return slice(*options); }};
}

}  // namespace prismllm::cli
