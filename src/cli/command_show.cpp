// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "prismllm/base/counted.hpp"
#include "prismllm/report/report.hpp"
#include "prismllm/store/graph_file.hpp"
#include "prismllm/store/result_file.hpp"

#include "commands.hpp"
#include "job_options.hpp"

namespace prismllm::cli {
namespace {

struct ShowOptions {
    DeckOptions file;
    bool deck_only = false;  ///< print the deck a graph or result carries
    bool values_only = false;
};

Status show_deck(const ShowOptions& options) {
    auto deck = options.file.load();
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    return print(options.values_only ? deck->values_toml
                                     : deck->resolved_toml + "# sha256 " + deck->sha256 + "\n");
}

std::string graph_text(const store::StoredGraph& stored) {
    const graph::ExecutionGraph& g = stored.graph;
    std::string text = fmt::format(
        "execution graph: {}\n  {} in {}, {} timed ops an iteration\n"
        "  {} kernels, {} calls and {} tensors described; {} families\n  deck sha256 {}\n",
        g.facts.title, counted(g.world_size, "rank"), counted(g.classes.size(), "class"),
        participant_ops(g), g.kernels.size(), g.communications.size(), g.tensors.size(),
        g.families.size(), stored.provenance.deck_sha256);
    for (const graph::RankClass& c : g.classes) {
        text += fmt::format("  class {:<12} {:>8} ops\n", c.name, c.ops.size());
    }
    return text;
}

Status show(const ShowOptions& options) {
    const std::string& path = options.file.path;
    if (std::filesystem::path(path).extension() == ".toml") {
        return show_deck(options);
    }
    if (options.values_only || !options.file.overrides.empty()) {
        return fail(ErrorCode::usage,
                    "{} is shown as it is (--set and --values are for decks, and their names end "
                    "in .toml). Leave them out",
                    path);
    }
    auto format = store::format_of(path);
    if (!format) {
        return tl::unexpected{format.error()};
    }
    if (*format == "prismllm.graph") {
        auto stored = store::read_graph(path);
        return !stored
                   ? Status{tl::unexpected{stored.error()}}
                   : print(options.deck_only ? stored->provenance.deck_text : graph_text(*stored));
    }
    auto stored = store::read_result(path);
    return !stored ? Status{tl::unexpected{stored.error()}}
                   : print(options.deck_only ? stored->provenance.deck_text
                                             : report::text(*stored, path));
}

}  // namespace

Command add_show(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "show", "Look into a file: a deck with the origin of every value, a graph, a result");
    auto options = std::make_shared<ShowOptions>();
    app->add_option("file", options->file.path, "Deck (.toml), graph or result (.h5)")->required();
    app->add_option("--set", options->file.overrides, "Override a deck key (decks only)")
        ->expected(1)
        ->take_all()
        ->type_name("KEY=VALUE");
    app->add_flag("--deck", options->deck_only, "Print the deck that a graph or result carries");
    app->add_flag("--values", options->values_only,
                  "Deck: values only, without origins; its SHA-256 is the deck's hash");
    app->footer(
        "Examples:\n"
        "  prismllm show inputs/decks/llama3.1_405b_h100_8192.toml\n"
        "  prismllm show llama3.1_405b_h100_8192.result.h5 --deck");
    return {app, [options] { return show(*options); }};
}

}  // namespace prismllm::cli
