// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "prismllm/base/counted.hpp"
#include "prismllm/base/log.hpp"
#include "prismllm/comm/agree.hpp"
#include "prismllm/emulation/native.hpp"
#include "prismllm/emulation/run.hpp"
#include "prismllm/store/graph_file.hpp"
#include "prismllm/store/result_file.hpp"

#include "commands.hpp"
#include "job_options.hpp"
#include "mpi_job.hpp"
#include "signals.hpp"
#include "training_text.hpp"

namespace prismllm::cli {
namespace {

struct NativeOptions {
    DeckOptions deck;
    CostOptions costs;
    std::string output;     ///< result file; empty: none
    std::string recording;  ///< graph file; empty: none
    bool json = false;

    /// The emulated clock goes beside the run.
    [[nodiscard]] bool has_clock() const { return !output.empty() || !recording.empty(); }
};

/// @pre not empty
double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

std::string report_of(const deck::Deck& deck, const emulation::NativeRun& run) {
    std::string text =
        fmt::format("{}\n  {} on {}, all real\n", deck.job.title,
                    counted(run.losses.size(), "step"), counted(run.peak_bytes.size(), "rank"));
    if (!run.losses.empty()) {
        text += fmt::format(
            "  loss           {:.4f} -> {:.4f} nats a token\n"
            "  step time      {:.2f} ms (median of the slowest rank's)\n",
            run.losses.front(), run.losses.back(), median(run.step_wall_s) * 1e3);
    }
    if (deck.job.training.precision == target::Precision::fp16) {
        text += fmt::format("  skipped        {}, whose scaled gradients overflowed\n",
                            counted(run.skipped_updates, "update"));
    }
    return text +
           fmt::format("  peak memory    {:.2f} MiB of live tensors on the fullest rank\n",
                       static_cast<double>(*std::ranges::max_element(run.peak_bytes)) / (1 << 20));
}

std::string json_of(const deck::Deck& deck, const emulation::NativeRun& run) {
    nlohmann::ordered_json all{{"title", deck.job.title},
                               {"world_size", run.peak_bytes.size()},
                               {"losses", run.losses},
                               {"step_wall_s", run.step_wall_s},
                               {"skipped_updates", run.skipped_updates},
                               {"peak_memory_bytes", run.peak_bytes},
                               {"deck_sha256", deck.sha256},
                               {"failure", nullptr}};
    if (!run.rank_factors.empty()) {
        all["rank_factors"] = run.rank_factors;
    }
    if (!run.outcome) {
        all["failure"] = run.outcome.error().message;
    }
    return all.dump(2) + "\n";
}

/// The graph that the emulated clock goes by; an empty one where no result is asked for.
/// @collective
Expected<graph::ExecutionGraph> clock_of(const NativeOptions& options, const deck::Deck& deck,
                                         const comm::Communicator& world) {
    Expected<graph::ExecutionGraph> mine = graph::ExecutionGraph{};
    if (!options.has_clock()) {
        return mine;
    }
    if (world.rank() == 0) {
        Status writable;
        for (const std::string& path : {options.output, options.recording}) {
            if (writable && !path.empty()) {
                writable = guard_output(path, {options.deck.path, options.costs.measured});
            }
        }
        mine = writable ? options.costs.slice(deck) : tl::unexpected{writable.error()};
    }
    return emulation::share_graph(world, std::move(mine));
}

/// What describes the emulation of a job and its machine says nothing to real ranks, unless an
/// emulated clock goes beside them.
void note_unused(const deck::Deck& deck, bool clock) {
    const target::Job& job = deck.job;
    std::string keys;
    for (const std::string& key : deck.own_keys) {
        const bool unused =
            (!clock &&
             std::ranges::any_of(std::array{"emulation.", "device.", "cluster.", "published."},
                                 [&](const char* section) { return key.starts_with(section); })) ||
            (key == "native.loss_scale" && job.training.precision != target::Precision::fp16) ||
            (key == "native.rope_base" && job.model.positions != target::PositionKind::rope) ||
            (key == "model.max_positions" && job.model.positions != target::PositionKind::learned);
        keys += !unused ? "" : keys.empty() ? key : ", " + key;
    }
    if (!keys.empty()) {
        log_root(LogLevel::warning, "native", "without effect on the real ranks of this job: {}.",
                 keys);
    }
}

/// A run that learned nothing looks like one that did.
void warn_of_skips(const target::Job& job, const emulation::NativeRun& run) {
    if (run.skipped_updates == 0 ||
        run.skipped_updates < static_cast<std::int64_t>(run.losses.size())) {
        return;
    }
    log_root(LogLevel::warning, "native",
             "of {} all were skipped (gradients times native.loss_scale {} overflow fp16 "
             "each time), so nothing was learned. Use a smaller native.loss_scale.",
             counted(run.skipped_updates, "update"), job.native.loss_scale);
}

/// @collective
Status write_recording(const NativeOptions& options, const deck::Deck& deck,
                       const emulation::NativeRun& run, const comm::Communicator& world) {
    Status written;
    if (world.rank() == 0 && !options.recording.empty() && run.measured.samples > 0) {
        written = store::write_graph(options.recording, run.recorded, make_provenance(deck));
        log_root(LogLevel::info, "native",
                 "graph file {}: {} kernels from {} launches; median spread {:.1f} % (middle half)",
                 options.recording, run.measured.kernels, run.measured.samples,
                 100 * run.measured.spread);
    }
    return comm::agree(world, written);
}

/// @collective
Status native(const NativeOptions& options, const comm::Communicator& world) {
    auto deck = options.deck.load_on_all(world);
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    auto text = from_root(world, [&] { return read_training_text(options.deck.file(), *deck); });
    if (!text) {  // told with all else that is wrong with the job
        return emulation::check_native(deck->job, world.size(), tl::unexpected{text.error()});
    }
    if (auto ok = emulation::check_native(deck->job, world.size(),
                                          static_cast<std::int64_t>(text->size()));
        !ok) {
        return ok;
    }
    note_unused(*deck, options.has_clock());
    auto clock = clock_of(options, *deck, world);
    if (!clock) {
        return tl::unexpected{clock.error()};
    }
    const emulation::NativeClock emulated{*clock, !options.recording.empty()};
    const std::int64_t steps = deck->job.native.steps;
    const std::int64_t every = std::max<std::int64_t>(1, steps / 10);
    auto run = emulation::run_native(
        world, deck->job, std::as_bytes(std::span{*text}),
        [&](std::int64_t step, double loss, double) {
            if (step % every == 0 || step == 1) {
                log_root(LogLevel::info, "native", "step {} of {}: loss {:.4f}", step, steps, loss);
            }
            return stop_requested();
        },
        options.has_clock() ? &emulated : nullptr);
    if (!run) {
        return tl::unexpected{run.error()};
    }
    warn_of_skips(deck->job, *run);
    warn_of_placement(run->placement);
    if (!options.output.empty() && !run->losses.empty()) {
        store::Provenance provenance = make_provenance(*deck);
        provenance.run.host_ranks = world.size();
        if (auto ok = store::write_result(options.output, run->data, provenance,
                                          store::ParallelAccess{world.fortran_handle()});
            !ok) {
            return ok;
        }
        log_root(LogLevel::info, "native", "result file {}", options.output);
    }
    if (auto ok = write_recording(options, *deck, *run, world); !ok) {
        return ok;
    }
    const Status printed = world.rank() == 0
                               ? print(options.json ? json_of(*deck, *run) : report_of(*deck, *run))
                               : Status{};
    const Status told = comm::agree(world, printed);
    return told ? run->outcome : told;
}

}  // namespace

Command add_native(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "native", "Train a small job for real, one process a rank (alone or under mpirun)");
    auto options = std::make_shared<NativeOptions>();
    options->deck.add_to(*app);
    auto* output =
        app->add_option("-o,--output", options->output,
                        "Also write a result file: what the emulated clock says of this run");
    auto* recording = app->add_option(
        "--record", options->recording,
        "Also write the graph with the durations of this run, on one machine: of every kernel and "
        "every call");
    auto* costs = options->costs.add_to(*app);
    app->final_callback([=] {
        if (costs->count() > 0 && output->count() + recording->count() == 0) {
            throw CLI::RequiresError("--costs", "--output or --record");
        }
    });
    app->add_flag("--json", options->json, "Print one JSON object instead of the text report");
    app->footer(
        "Examples:\n"
        "  prismllm native inputs/decks/tiny/gpt.toml --set native.steps=20\n"
        "  mpirun -np 4 prismllm native inputs/decks/tiny/llama.toml --json --set native.steps=20 "
        "--set parallel.world_size=4 --set parallel.tensor_parallel=2 "
        "--set parallel.pipeline_parallel=2\n"
        "  mpirun -np 2 prismllm native inputs/decks/tiny/gpt.toml -o native.h5 --set "
        "native.steps=2 --set parallel.world_size=2 --set parallel.tensor_parallel=2");
    return {app, [options] {
                return in_mpi_job(
                    [&](const comm::Communicator& world) { return native(*options, world); });
            }};
}

}  // namespace prismllm::cli
