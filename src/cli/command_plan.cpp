// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "prismllm/base/counted.hpp"
#include "prismllm/base/printable.hpp"
#include "prismllm/base/text_file.hpp"
#include "prismllm/emulation/plan.hpp"
#include "prismllm/emulation/slice.hpp"

#include "commands.hpp"
#include "job_options.hpp"

namespace prismllm::cli {
namespace {

struct PlanOptions {
    DeckOptions deck;
    int processes = 1;
    std::string topology;  ///< hwloc's XML file or words; empty: this machine
    bool json = false;
};

std::string text_of(const deck::Deck& deck, const emulation::Plan& plan) {
    std::string text = fmt::format(
        "{}\n  {} of the job on {}\n  machine: {}\n\n"
        "  {:>7} {:<10} {:>10} {:>10} {:>8}   {}\n",
        deck.job.title, counted(deck.job.parallel.world_size, "rank"),
        counted(plan.processes.size(), "process"), plan.machine, "process", "role", "ranks",
        "first", "ops", "seat, were all processes on it");
    for (std::size_t p = 0; p < plan.processes.size(); ++p) {
        const emulation::PlannedProcess& process = plan.processes[p];
        fmt::format_to(std::back_inserter(text), "  {:>7} {:<10} {:>10} {:>10} {:>6.1f} %   {}\n",
                       p, process.real ? "real rank" : "proxy", process.ranks,
                       process.ranks > 0 ? std::to_string(process.first_rank) : "-",
                       100 * process.share, process.seat);
    }
    text += "\n  calls that cross processes\n";
    for (const emulation::PlannedCrossing& crossing : plan.crossings) {
        fmt::format_to(std::back_inserter(text), "    {:<12} {} of {}\n", crossing.family,
                       crossing.crossing, counted(crossing.groups, "group"));
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

/// A file where one of that name is there, else a synthetic machine in hwloc's words.
Expected<placement::Topology> machine_of(const std::string& wanted) {
    if (wanted.empty()) {
        return placement::Topology::live();
    }
    std::error_code ignored;
    if (!std::filesystem::exists(wanted, ignored) && !wanted.ends_with(".xml")) {
        return placement::Topology::synthetic(wanted);
    }
    constexpr std::uintmax_t most_bytes = 64 << 20;
    const auto xml = read_text_file(wanted, most_bytes);
    if (!xml) {
        return fail(ErrorCode::bad_input,
                    "cannot read {} ({}). Name a file that lstopo wrote (lstopo machine.xml).",
                    printable(wanted), xml.error().message);
    }
    return placement::Topology::from_xml(*xml);
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
    const auto machine = machine_of(options.topology);
    if (!machine) {
        return tl::unexpected{machine.error()};
    }
    const auto planned = emulation::plan_processes(
        *graph, options.processes, deck->job.emulation.real_ranks, *machine,
        options.topology.empty() ? placement::pinning_wanted() : placement::Pinning::on);
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
    app->add_option("--topology", options->topology,
                    "Plan for this machine: a file of lstopo (machine.xml) or hwloc's words "
                    "(\"package:2 core:32 pu:2\"). Default: this machine");
    app->add_flag("--json", options->json, "One JSON object");
    app->footer(
        "Examples:\n"
        "  prismllm plan inputs/decks/llama3.1_405b_h100_8192.toml -n 3\n"
        "  prismllm plan inputs/decks/llama3.1_405b_h100_8192.toml -n 16 --topology 'package:2 "
        "core:32 pu:2'\n"
        "  prismllm plan inputs/decks/tiny/gpt.toml -n 3 --set parallel.world_size=64 --set "
        "parallel.tensor_parallel=4 --set training.global_batch_size=32 --set "
        "'emulation.real_ranks=[0,63]'");
    return {app, [options] { return plan(*options); }};
}

}  // namespace prismllm::cli
