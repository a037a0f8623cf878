// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "prismllm/base/counted.hpp"
#include "prismllm/emulation/measure.hpp"
#include "prismllm/emulation/slice.hpp"
#include "prismllm/store/graph_file.hpp"

#include "commands.hpp"
#include "job_options.hpp"
#include "signals.hpp"
#include "training_text.hpp"

namespace prismllm::cli {
namespace {

struct SliceOptions {
    DeckOptions deck;
    std::string output;
    bool measure = false;
    std::int64_t repeats = 5;
};

/// Kernel durations as this machine takes them, and what to say of them.
Expected<std::string> measure(const SliceOptions& options, const deck::Deck& deck,
                              graph::ExecutionGraph& graph) {
    auto text = read_training_text(options.deck.file(), deck);
    if (!text) {
        return text;
    }
    catch_stop_signals();
    const auto measured = emulation::measure_kernels(
        graph, {deck.job, std::as_bytes(std::span{*text})}, options.repeats, stop_requested);
    if (!measured) {
        return tl::unexpected{measured.error()};
    }
    return fmt::format(
        "  measured {} kernels on {}, {} launches; median spread {:.1f} % (middle half)\n",
        measured->kernels, counted(measured->ranks, "rank"), measured->samples,
        100 * measured->spread);
}

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
    std::string measured;
    if (options.measure) {
        auto said = measure(options, *deck, *graph);
        if (!said) {
            return tl::unexpected{said.error()};
        }
        measured = *said;
    }
    const Replaced replaced{path, deck->sha256};
    if (auto ok = store::write_graph(path, *graph, make_provenance(*deck)); !ok) {
        return ok;
    }
    replaced.tell();
    return print(fmt::format("{}: {} in {}, {} timed ops an iteration\n", path,
                             counted(graph->world_size, "rank"),
                             counted(graph->classes.size(), "class"), participant_ops(*graph)) +
                 measured);
}

}  // namespace

Command add_slice(CLI::App& parent) {
    CLI::App* app =
        parent.add_subcommand("slice", "Write the execution graph of a deck's job (no MPI)");
    auto options = std::make_shared<SliceOptions>();
    options->deck.add_to(*app);
    app->add_option("-o,--output", options->output, "Graph file (default: <deck name>.graph.h5)");
    auto* measure = app->add_flag("--measure", options->measure,
                                  "Execute a rank of each class here and measure its kernels "
                                  "(small jobs; needs native.text)");
    app->add_option("--repeats", options->repeats, "With --measure: steps timed of each rank")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str()
        ->needs(measure);
    app->footer(
        "Examples:\n"
        "  prismllm slice inputs/decks/llama3.1_405b_h100_8192.toml -o 405b.graph.h5\n"
        "  mpirun -np 2 prismllm emulate 405b.graph.h5\n"
        "  prismllm slice inputs/decks/tiny/gpt.toml --measure -o tiny.graph.h5");
    return {app, [options] { return slice(*options); }};
}

}  // namespace prismllm::cli
