// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "prismllm/slicing/stitch.hpp"
#include "prismllm/store/graph_file.hpp"

#include "commands.hpp"
#include "job_options.hpp"
#include "mpi_job.hpp"

namespace prismllm::cli {
namespace {

struct EmulateOptions {
    std::string graph;
    std::vector<std::string> overrides;
    ResultOptions result;
};

/// The settings the graph was sliced with, changed where --set says so.
Expected<deck::Deck> deck_of(const EmulateOptions& options, const std::string& text) {
    for (const std::string& setting : options.overrides) {
        if (setting.rfind("emulation.", 0) != 0) {
            return fail(ErrorCode::usage,
                        "--set {} (a graph fixes all but the emulation section). Change the deck "
                        "and slice it again.",
                        setting);
        }
    }
    return deck::parse(text, options.graph + " (deck)", ".", options.overrides);
}

/// The graph with the deck it carries; proved with the settings it will be emulated with.
Expected<store::StoredGraph> read_and_prove(const EmulateOptions& options,
                                            const std::string& path) {
    if (auto ok = options.result.prepare(path, {options.graph}); !ok) {
        return tl::unexpected{ok.error()};
    }
    auto stored = store::read_graph(options.graph);
    if (!stored) {
        return stored;
    }
    const graph::ExecutionGraph& g = stored->graph;
    if (g.kernel_costs.size() != g.kernels.size() ||
        g.communication_costs.size() != g.communications.size()) {
        return fail(ErrorCode::bad_input,
                    "{} holds no costs (a graph without durations cannot be emulated). Write it "
                    "with prismllm slice.",
                    options.graph);
    }
    auto deck = deck_of(options, stored->provenance.deck_text);
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    stored->graph.eager_bytes = deck->job.emulation.eager_bytes;
    if (auto proved = slicing::prove_and_mark(stored->graph); !proved) {
        return tl::unexpected{proved.error()};
    }
    return stored;
}

/// @collective
Status emulate(const EmulateOptions& options, const comm::Communicator& world) {
    const auto begin = std::chrono::steady_clock::now();
    Expected<graph::ExecutionGraph> mine = graph::ExecutionGraph{};
    std::string text;
    const std::string path = options.result.path_for(options.graph);
    if (world.rank() == 0) {
        auto stored = read_and_prove(options, path);
        if (stored) {
            mine = std::move(stored->graph);
            text = stored->provenance.deck_text;
        } else {
            mine = tl::unexpected{stored.error()};
        }
    }
    auto graph = emulation::share_graph(world, std::move(mine));
    if (!graph) {
        return tl::unexpected{graph.error()};
    }
    world.broadcast(text);
    auto deck = deck_of(options, text);
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    return emulate_and_report(world, *graph, *deck, make_provenance(*deck), options.result, path,
                              changed_keys(options.overrides), wall.count());
}

}  // namespace

Command add_emulate(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "emulate", "Emulate an execution graph and report (alone or under mpirun)");
    auto options = std::make_shared<EmulateOptions>();
    app->add_option("graph", options->graph, "Graph file written by slice or run --graph")
        ->required();
    app->add_option("--set", options->overrides,
                    "Override a key of the emulation section: emulation.key=value (repeatable)")
        ->expected(1)
        ->take_all()
        ->type_name("KEY=VALUE");
    options->result.add_to(*app);
    app->footer(
        "Examples:\n"
        "  mpirun -np 2 prismllm emulate 405b.graph.h5\n"
        "  prismllm emulate 405b.graph.h5 --set emulation.jitter=0.02 --set "
        "emulation.iterations=5");
    return {app, [options] {
                return in_mpi_job(
                    [&](const comm::Communicator& world) { return emulate(*options, world); });
            }};
}

}  // namespace prismllm::cli
