// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "prismllm/emulation/slice.hpp"
#include "prismllm/store/graph_file.hpp"

#include "commands.hpp"
#include "job_options.hpp"
#include "mpi_job.hpp"
#include "training_text.hpp"

namespace prismllm::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct RunOptions {
    DeckOptions deck;
    ResultOptions result;
    CostOptions costs;
    std::string graph;  ///< also keep the execution graph here
};

/// The proved graph, once it is sure that its results may be written.
Expected<graph::ExecutionGraph> sliced(const RunOptions& options, const deck::Deck& deck,
                                       const std::string& path) {
    if (auto ok = options.result.prepare(path, {options.deck.path, options.costs.measured}); !ok) {
        return tl::unexpected{ok.error()};
    }
    if (!options.graph.empty()) {
        if (auto ok =
                guard_output(options.graph, {options.deck.path, options.costs.measured, path});
            !ok) {
            return tl::unexpected{ok.error()};
        }
    }
    return options.costs.slice(deck);
}

/// @collective
Status run(const RunOptions& options, const comm::Communicator& world) {
    const auto begin = Clock::now();
    auto deck = options.deck.load_on_all(world);
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    store::Provenance provenance = make_provenance(*deck);
    Expected<graph::ExecutionGraph> mine = graph::ExecutionGraph{};
    const auto slicing = Clock::now();
    const std::string path = options.result.path_for(options.deck.path);
    if (world.rank() == 0) {
        mine = sliced(options, *deck, path);
        provenance.run.slicing_wall_s = seconds_since(slicing);
        if (mine && !options.graph.empty()) {
            const Replaced replaced{options.graph, provenance.deck_sha256};
            if (auto ok = store::write_graph(options.graph, *mine, provenance); !ok) {
                mine = tl::unexpected{ok.error()};
            } else {
                replaced.tell();
            }
        }
    }
    auto graph = emulation::share_graph(world, std::move(mine));
    if (!graph) {
        return tl::unexpected{graph.error()};
    }
    Expected<std::string> text = std::string{};
    if (!deck->job.emulation.real_ranks.empty()) {
        text = training_text(world, options.deck.file(), *deck);
        if (!text) {
            return tl::unexpected{text.error()};
        }
    }
    const emulation::RealProgram program{deck->job, std::as_bytes(std::span{*text})};
    return emulate_and_report(world, *graph, *deck, std::move(provenance), options.result, path,
                              options.costs.changed(options.deck.overrides), seconds_since(begin),
                              &program);
}

}  // namespace

Command add_run(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "run", "Slice a deck's job, emulate it at full scale and report (alone or under mpirun)");
    auto options = std::make_shared<RunOptions>();
    options->deck.add_to(*app);
    options->costs.add_to(*app);
    options->result.add_to(*app);
    app->add_option("--graph", options->graph, "Also keep the execution graph in this file");
    app->footer(
        "Examples:\n"
        "  prismllm run inputs/decks/llama3.1_405b_h100_8192.toml\n"
        "  mpirun -np 2 prismllm run inputs/decks/llama3.1_405b_h100_8192.toml --json --set "
        "'emulation.timeline_ranks=[0]'\n"
        "  mpirun -np 2 prismllm run inputs/decks/tiny/gpt.toml -o emulated.h5 --set "
        "'emulation.real_ranks=[1]' --set emulation.iterations=2 --set parallel.world_size=2 "
        "--set parallel.tensor_parallel=2");
    return {app, [options] {
                return in_mpi_job(
                    [&](const comm::Communicator& world) { return run(*options, world); });
            }};
}

}  // namespace prismllm::cli
