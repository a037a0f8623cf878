// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "prismllm/emulation/plan.hpp"
#include "prismllm/emulation/slice.hpp"

#include "commands.hpp"
#include "job_options.hpp"

namespace prismllm::cli {
namespace {

struct PlanOptions {
    DeckOptions deck;
    int processes = 1;
    bool json = false;
};

std::string text_of(const deck::Deck& deck, const emulation::Plan& plan) {
    std::string text = fmt::format(
        "{}\n  {} rank(s) of the job on {} process(es)\n  this machine: {}\n\n"
        "  {:>7} {:<10} {:>10} {:>10} {:>8}   {}\n",
        deck.job.title, deck.job.parallel.world_size, plan.processes.size(), plan.machine,
        "process", "role", "ranks", "first", "ops", "seat, were all processes here");
    for (std::size_t p = 0; p < plan.processes.size(); ++p) {
        const emulation::PlannedProcess& process = plan.processes[p];
        fmt::format_to(std::back_inserter(text), "  {:>7} {:<10} {:>10} {:>10} {:>6.1f} %   {}\n",
                       p, process.real ? "real rank" : "proxy", process.ranks,
                       process.ranks > 0 ? std::to_string(process.first_rank) : "-",
                       100 * process.share, process.seat);
    }
    text += "\n  calls that cross processes\n";
    for (const emulation::PlannedCrossing& crossing : plan.crossings) {
        fmt::format_to(std::back_inserter(text), "    {:<12} {} of {} group(s)\n", crossing.family,
                       crossing.crossing, crossing.groups);
    }
    if (std::ranges::all_of(plan.crossings, [](const auto& c) { return c.crossing == 0; })) {
        text += "    none\n";
    }
    return text;
}

std::string json_of(const emulation::Plan& plan) {
    nlohmann::ordered_json processes = nlohmann::ordered_json::array();
    for (const emulation::PlannedProcess& process : plan.processes) {
        nlohmann::ordered_json row{{"role", process.real ? "real rank" : "proxy"},
                                   {"ranks", process.ranks},
                                   {"first_rank", process.first_rank},
                                   {"ops_share", process.share},
                                   {"seat", process.seat}};
        processes.push_back(std::move(row));
    }
    nlohmann::ordered_json crossings = nlohmann::ordered_json::array();
    for (const emulation::PlannedCrossing& crossing : plan.crossings) {
        crossings.push_back({{"family", crossing.family},
                             {"groups", crossing.groups},
                             {"crossing", crossing.crossing}});
    }
    const nlohmann::ordered_json all{
        {"processes", processes}, {"crossings", crossings}, {"machine", plan.machine}};
    return all.dump(2) + "\n";
}

Status plan(const PlanOptions& options) {
    auto deck = options.deck.load();
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    const auto graph = emulation::slice_and_prove(deck->job);
    if (!graph) {
        return tl::unexpected{graph.error()};
    }
    const auto planned =
        emulation::plan_processes(*graph, options.processes, deck->job.emulation.real_ranks);
    if (!planned) {
        return tl::unexpected{planned.error()};
    }
    return print(options.json ? json_of(*planned) : text_of(*deck, *planned));
}

}  // namespace

Command add_plan(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "plan", "Tell which process of a job would play which ranks, and run nothing");
    auto options = std::make_shared<PlanOptions>();
    options->deck.add_to(*app);
    app->add_option("-n,--processes", options->processes, "Processes of the MPI job")
        ->check(CLI::Range(1, 1 << 20))
        ->required();
    app->add_flag("--json", options->json, "One JSON object");
    app->footer(
        "Examples:\n"
        "  prismllm plan inputs/decks/llama3.1_405b_h100_8192.toml -n 3\n"
        "  prismllm plan inputs/decks/tiny/gpt.toml -n 3 --set parallel.world_size=64 --set "
        "parallel.tensor_parallel=4 --set training.global_batch_size=32 --set "
        "'emulation.real_ranks=[0,63]'");
    return {app, [options] { return plan(*options); }};
}

}  // namespace prismllm::cli
