// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "job_options.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>

#include "prismllm/base/host_name.hpp"
#include "prismllm/base/log.hpp"
#include "prismllm/comm/agree.hpp"
#include "prismllm/comm/environment.hpp"
#include "prismllm/emulation/slice.hpp"
#include "prismllm/report/report.hpp"
#include "prismllm/slicing/costs.hpp"
#include "prismllm/store/graph_file.hpp"

#include "commands.hpp"
#include "signals.hpp"

namespace prismllm::cli {
namespace {

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::string DeckOptions::file() const {
    return file_at_hand(path);
}

Expected<deck::Deck> DeckOptions::load() const {
    const std::string found = file();
    if (found != path) {
        log_root(LogLevel::info, "prismllm", "{} is taken from the installation: {}", path, found);
    }
    return deck::load(found, overrides);
}

void DeckOptions::add_to(CLI::App& app) {
    app.add_option("deck", path, "Input deck (TOML)")->required();
    app.add_option("--set", overrides, "Override a deck key: section.key=value (repeatable)")
        ->expected(1)
        ->take_all()
        ->type_name("KEY=VALUE");
}

Expected<std::string> from_root(const comm::Communicator& world,
                                const std::function<Expected<std::string>()>& make) {
    Expected<std::string> mine = world.rank() == 0 ? make() : std::string{};
    const Status made = mine ? Status{} : tl::unexpected{mine.error()};
    if (auto agreed = comm::agree(world, made); !agreed) {
        return mine ? tl::unexpected{agreed.error()} : mine;
    }
    world.broadcast(*mine);
    return mine;
}

Expected<deck::Deck> DeckOptions::load_on_all(const comm::Communicator& world) const {
    deck::Deck own;
    const auto text = from_root(world, [&]() -> Expected<std::string> {
        auto loaded = load();
        if (!loaded) {
            return tl::unexpected{loaded.error()};
        }
        own = std::move(*loaded);
        return own.values_toml;
    });
    if (!text) {
        return tl::unexpected{text.error()};
    }
    if (world.rank() == 0) {
        return own;
    }
    auto parsed = deck::parse(*text, path, ".", {});
    if (!parsed) {  // host rank 0 went on with it: not an outcome that all share
        throw SystemError{ErrorCode::internal,
                          "deck sent by host rank 0: " + parsed.error().message};
    }
    return parsed;
}

CLI::Option* CostOptions::add_to(CLI::App& app) {
    return app.add_option("--costs", measured,
                          "Take measured durations from this graph file (prismllm slice --measure, "
                          "native --record)");
}

Expected<graph::ExecutionGraph> CostOptions::slice(const deck::Deck& deck) const {
    auto graph = emulation::slice_and_prove(deck.job);
    if (!graph || measured.empty()) {
        return graph;
    }
    const auto stored = store::read_graph(measured);
    if (!stored) {
        return tl::unexpected{stored.error()};
    }
    if (slicing::take_measured_costs(*graph, stored->graph) == 0) {
        return fail(ErrorCode::bad_input,
                    "{} holds no measured kernel of this job (--costs). Write it with prismllm "
                    "slice --measure of the same deck.",
                    measured);
    }
    return graph;
}

std::string CostOptions::changed(const std::vector<std::string>& overrides) const {
    const std::string keys = changed_keys(overrides);
    return measured.empty() ? keys : keys + (keys.empty() ? "" : ", ") + "costs (--costs)";
}

void ResultOptions::add_to(CLI::App& app) {
    app.add_option("-o,--output", output, "Result file (default: <input name>.result.h5)");
    app.add_option("--run-dir", run_dir, "Folder for results without --output")
        ->capture_default_str();
    app.add_flag("--json", json, "Print one JSON object instead of the text report");
}

std::string ResultOptions::path_for(const std::string& input) const {
    if (!output.empty()) {
        return output;
    }
    const std::string stem = std::filesystem::path(input).stem().string();
    return (std::filesystem::path(run_dir) / (stem + ".result.h5")).string();
}

Status ResultOptions::prepare(const std::string& path,
                              const std::vector<std::string>& inputs) const {
    std::error_code error;
    if (output.empty() && !std::filesystem::create_directories(run_dir, error) && error) {
        return fail(ErrorCode::system, "cannot make the folder {} ({}). Name another --run-dir.",
                    run_dir, error.message());
    }
    return guard_output(path, inputs);
}

std::string changed_keys(const std::vector<std::string>& overrides) {
    std::string keys;
    for (const std::string& setting : overrides) {
        const std::string key = setting.substr(0, setting.find('='));
        const bool same_job = key == "emulation.iterations" || key == "emulation.seed" ||
                              key == "emulation.timeline_ranks" || key == "title" ||
                              key.rfind("published.", 0) == 0;
        if (!same_job) {
            keys += (keys.empty() ? "" : ", ") + key;
        }
    }
    return keys;
}

store::Provenance make_provenance(const deck::Deck& deck) {
    store::Provenance p;
    p.deck_text = deck.resolved_toml;
    p.deck_sha256 = deck.sha256;
    p.command_line = command_line();
    p.software_version = version_text();
    p.date = utc_now();
    p.machine = host_name();
    return p;
}

void warn_of_placement(const emulation::ProcessPlacement& placement) {
    for (const std::string& warning : placement.warnings) {
        log_root(LogLevel::warning, "placement", "{}", warning);
    }
}

Status emulate_and_report(const comm::Communicator& world, const graph::ExecutionGraph& graph,
                          const deck::Deck& deck, store::Provenance provenance,
                          const ResultOptions& options, const std::string& path,
                          const std::string& changed, double wall_before,
                          const emulation::RealProgram* program) {
    const auto begin = std::chrono::steady_clock::now();
    const target::Published published = changed.empty() ? deck.job.published : target::Published{};
    auto emulated =
        emulation::emulate(world, graph, deck.job.emulation, published, program, stop_requested);
    if (!emulated) {
        return tl::unexpected{emulated.error()};
    }
    if (!changed.empty() && !deck.job.published.source.empty()) {
        emulated->data.warnings.push_back(fmt::format(
            "not compared with the published run: the command line changed {}.", changed));
    }
    provenance.run.host_ranks = world.size();
    provenance.run.engine_wall_s = emulated->engine_wall_s;
    provenance.run.total_wall_s = wall_before + seconds_since(begin);
    provenance.run.state_bytes_per_participant = emulated->state_bytes_per_participant;
    provenance.run.real = emulated->real;
    provenance.extra.emplace_back("mpi", comm::library_version());
    const emulation::ProcessPlacement& placement = emulated->placement;
    for (std::size_t k = 0; k < placement.lines.size(); ++k) {
        provenance.extra.emplace_back(fmt::format("placement_{}", k), placement.lines[k]);
    }
    provenance.extra.emplace_back("topology", placement.machine);
    provenance.extra.emplace_back("topology_xml", placement.machine_xml);
    warn_of_placement(placement);
    const Replaced replaced =
        world.rank() == 0 ? Replaced{path, provenance.deck_sha256} : Replaced{};
    if (auto ok = store::write_result(path, emulated->data, provenance,
                                      store::ParallelAccess{world.fortran_handle()});
        !ok) {
        return ok;
    }
    Status reported;
    if (world.rank() == 0) {
        replaced.tell();
        const auto stored = store::read_result(path);
        reported = !stored ? Status{tl::unexpected{stored.error()}}
                           : print(options.json ? report::json(*stored, path)
                                                : report::text(*stored, path));
    }
    return comm::agree(world, reported);
}

}  // namespace prismllm::cli
