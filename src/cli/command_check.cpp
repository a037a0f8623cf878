// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "prismllm/emulation/native.hpp"
#include "prismllm/emulation/slice.hpp"
#include "prismllm/graph/memory.hpp"
#include "prismllm/target/layout.hpp"
#include "prismllm/target/parameters.hpp"

#include "commands.hpp"
#include "job_options.hpp"
#include "training_text.hpp"

namespace prismllm::cli {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

struct StageContents {
    std::int64_t layers = 0;
    const char* holds = "layers";
};

StageContents contents_of(const target::Layout& layout, std::int64_t stage) {
    StageContents contents;
    bool embedding = false;
    bool loss = false;
    for (std::int64_t c = 0; c < layout.virtual_pipeline; ++c) {
        const target::StageWork& work = layout.work(stage, c);
        contents.layers += work.layer_count;
        embedding = embedding || work.embedding;
        loss = loss || work.loss;
    }
    contents.holds = embedding && loss ? "embedding, layers, head"
                     : embedding       ? "embedding, layers"
                     : loss            ? "layers, head"
                                       : "layers";
    return contents;
}

/// `peaks`: bytes of each class at its fullest.
std::string stage_lines(const target::Layout& layout, const graph::ExecutionGraph& graph,
                        const std::vector<std::int64_t>& peaks) {
    std::string text = fmt::format(
        "Stages (peak memory: simple sum of tensors)\n"
        "  {:>5} {:>8} {:>26} {:>10} {:>14}\n",
        "stage", "layers", "holds", "ops", "peak memory");
    for (std::size_t k = 0; k < graph.classes.size(); ++k) {
        const graph::RankClass& rank_class = graph.classes[k];
        const StageContents contents = contents_of(layout, rank_class.stage);
        text += fmt::format("  {:>5} {:>8} {:>26} {:>10} {:>10.2f} GiB\n", rank_class.stage,
                            contents.layers, contents.holds, rank_class.ops.size(),
                            static_cast<double>(peaks[k]) / gib);
    }
    return text;
}

/// What is known of the stages without playing the training step.
std::string stage_lines(const target::Layout& layout, const target::Model& model) {
    std::string text = fmt::format("Stages\n  {:>5} {:>8} {:>26} {:>22}\n", "stage", "layers",
                                   "holds", "parameters of a rank");
    for (std::int64_t stage = 0; stage < layout.pipeline; ++stage) {
        const StageContents contents = contents_of(layout, stage);
        text += fmt::format("  {:>5} {:>8} {:>26} {:>22}\n", stage, contents.layers, contents.holds,
                            parameters_on_stage(model, layout, stage));
    }
    return text;
}

std::string head_lines(const DeckOptions& options, const target::Job& job,
                       const target::Layout& l) {
    const target::ParameterCount count = count_parameters(job.model);
    std::string text = fmt::format(
        "{}: {}\n"
        "  {} ranks = tensor {} x context {} x data {} x pipeline {} (virtual {}), "
        "{} micro-batches\n",
        options.file(), job.title, l.world_size, l.tensor, l.context, l.data, l.pipeline,
        l.virtual_pipeline, l.micro_batches);
    if (l.experts_per_rank > 0) {
        text += fmt::format(
            "  expert layers = tensor {} x expert {} x data {} x pipeline {}, {} of {} experts a "
            "rank, {} a token\n",
            l.expert_tensor, l.expert, l.expert_data, l.pipeline, l.experts_per_rank,
            job.model.experts, job.model.experts_per_token);
    }
    return text +
           fmt::format("  {} parameters{}, vocabulary padded to {}\n", count.total,
                       l.experts_per_rank > 0 ? fmt::format(" ({} active)", count.active) : "",
                       l.padded_vocab);
}

std::string family_lines(const std::vector<graph::Family>& families) {
    std::string text = "Process groups\n";
    for (const graph::Family& family : families) {
        if (family.group_count() == 0) {
            continue;
        }
        text += fmt::format("  {:<12} {:>8} {:<6} of {:>6}   first: ", family.name,
                            family.group_count(), family.group_count() == 1 ? "group" : "groups",
                            family.group_size(0));
        const auto ranks = family.group_ranks(0);
        const std::size_t shown = std::min<std::size_t>(ranks.size(), 4);
        for (std::size_t i = 0; i < shown; ++i) {
            text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
        }
        text += shown < ranks.size() ? ", ...\n" : "\n";
    }
    return text;
}

std::string memory_warning(const graph::JobFacts& facts, std::int64_t most) {
    const std::int64_t room = facts.device_memory_bytes;
    if (room == 0 || most <= room) {
        return {};
    }
    return fmt::format(
        "warning: the fullest rank's tensors sum up to {:.1f} GiB, more than the {:.1f} GiB of "
        "{}.\n",
        static_cast<double>(most) / gib, static_cast<double>(room) / gib, facts.device_name);
}

Status check(const DeckOptions& options) {
    auto deck = options.load();
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    const target::Job& job = deck->job;
    const auto layout = target::make_layout(job.model, job.parallel, job.training);
    const auto graph = emulation::slice_and_prove(job);
    if (!layout) {  // what the training step lacks is told beside it
        return tl::unexpected{graph ? layout.error() : graph.error()};
    }
    std::string text = head_lines(options, job, *layout);
    if (!graph) {  // the layout stands, even where the training step cannot follow it
        text += stage_lines(*layout, job.model) + family_lines(families_of(*layout));
        if (auto ok = print(text); !ok) {
            return ok;
        }
        return tl::unexpected{graph.error()};
    }
    if (!job.emulation.real_ranks.empty()) {
        const auto training = read_training_text(options.file(), *deck);
        const Expected<std::int64_t> bytes =
            training ? Expected<std::int64_t>{static_cast<std::int64_t>(training->size())}
                     : tl::unexpected{training.error()};
        if (auto ok = emulation::check_native(job, std::nullopt, bytes); !ok) {
            return ok;
        }
    }
    std::vector<std::int64_t> peaks;
    for (const graph::RankClass& rank_class : graph->classes) {
        peaks.push_back(memory_peak(*graph, rank_class).bytes);
    }
    text += stage_lines(*layout, *graph, peaks) + family_lines(graph->families);
    text += memory_warning(graph->facts, *std::max_element(peaks.begin(), peaks.end()));
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
