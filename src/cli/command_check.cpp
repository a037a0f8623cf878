// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "prismllm/emulation/slice.hpp"
#include "prismllm/graph/memory.hpp"
#include "prismllm/program/setup.hpp"
#include "prismllm/target/parameters.hpp"

#include "commands.hpp"
#include "job_options.hpp"

namespace prismllm::cli {
namespace {

std::string stage_lines(const target::Layout& layout, const graph::ExecutionGraph& graph) {
    std::string text = fmt::format("  {:>5} {:>8} {:>26} {:>10} {:>14}\n", "stage", "layers",
                                   "holds", "ops", "peak memory");
    for (const graph::RankClass& rank_class : graph.classes) {
        std::int64_t layers = 0;
        bool embedding = false;
        bool loss = false;
        for (std::int64_t c = 0; c < layout.virtual_pipeline; ++c) {
            const target::StageWork& work = layout.work(rank_class.stage, c);
            layers += work.layer_count;
            embedding = embedding || work.embedding;
            loss = loss || work.loss;
        }
        const char* holds = embedding && loss ? "embedding, layers, head"
                            : embedding       ? "embedding, layers"
                            : loss            ? "layers, head"
                                              : "layers";
        text += fmt::format(
            "  {:>5} {:>8} {:>26} {:>10} {:>10.2f} GiB\n", rank_class.stage, layers, holds,
            rank_class.ops.size(),
            static_cast<double>(memory_peak(graph, rank_class).bytes) / (1024.0 * 1024 * 1024));
    }
    return text;
}

std::string family_lines(const graph::ExecutionGraph& graph) {
    std::string text;
    for (const graph::Family& family : graph.families) {
        if (family.group_count() == 0) {
            continue;
        }
        text += fmt::format("  {:<12} {:>8} group(s) of {:>6}   first: ", family.name,
                            family.group_count(), family.group_size(0));
        const auto ranks = family.group_ranks(0);
        const std::size_t shown = std::min<std::size_t>(ranks.size(), 4);
        for (std::size_t i = 0; i < shown; ++i) {
            text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
        }
        text += shown < ranks.size() ? ", ...\n" : "\n";
    }
    return text;
}

std::string memory_warning(const graph::ExecutionGraph& graph) {
    std::int64_t most = 0;
    for (const graph::RankClass& rank_class : graph.classes) {
        most = std::max(most, memory_peak(graph, rank_class).bytes);
    }
    const std::int64_t room = graph.facts.device_memory_bytes;
    if (room == 0 || most <= room) {
        return {};
    }
    constexpr double gib = 1024.0 * 1024 * 1024;
    return fmt::format(
        "warning: the fullest rank's tensors sum up to {:.1f} GiB, more than the {:.1f} GiB of "
        "{}.\n",
        static_cast<double>(most) / gib, static_cast<double>(room) / gib, graph.facts.device_name);
}

Status check(const DeckOptions& options) {
    auto deck = options.load();
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    auto setup = program::make_setup(deck->job);
    if (!setup) {
        return tl::unexpected{setup.error()};
    }
    auto graph = emulation::slice_and_prove(deck->job);
    if (!graph) {
        return tl::unexpected{graph.error()};
    }
    const target::Layout& l = setup->layout;
    std::string text = fmt::format("{}: {}\n", options.path, deck->job.title);
    text += fmt::format(
        "  {} ranks = tensor {} x context {} x data {} x pipeline {} (virtual {}), "
        "{} micro-batches\n  {} parameters, vocabulary padded to {}\n",
        l.world_size, l.tensor, l.context, l.data, l.pipeline, l.virtual_pipeline, l.micro_batches,
        graph->facts.parameters, l.padded_vocab);
    text += "Stages (peak memory: simple sum of tensors)\n" + stage_lines(l, *graph);
    text += "Process groups\n" + family_lines(*graph);
    text += memory_warning(*graph);
    text += fmt::format(
        "Stitching proof passed: every collective and every send meets its peers.\n"
        "deck sha256 {}\n",
        deck->sha256);
    return print(text);
}

}  // namespace

Command add_check(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "check", "Check a deck: values, divisibility, groups, matching calls; emulates nothing");
    auto options = std::make_shared<DeckOptions>();
    options->add_to(*app);
    app->footer(
        "Examples:\n"
        "  prismllm check inputs/decks/llama3.1_405b_h100_8192.toml\n"
        "  prismllm check inputs/decks/llama3.1_405b_h100_8192.toml --set "
        "parallel.tensor_parallel=4");
    return {app, [options] { return check(*options); }};
}

}  // namespace prismllm::cli
