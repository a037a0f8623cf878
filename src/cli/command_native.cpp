// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "prismllm/base/log.hpp"
#include "prismllm/base/text_file.hpp"
#include "prismllm/comm/agree.hpp"
#include "prismllm/emulation/native.hpp"

#include "commands.hpp"
#include "job_options.hpp"
#include "mpi_job.hpp"
#include "signals.hpp"

namespace prismllm::cli {
namespace {

struct NativeOptions {
    DeckOptions deck;
    bool json = false;
};

/// The text to train on, as process 0 reads it.
Expected<std::string> read_text(const std::string& deck_path, const std::string& name) {
    if (name.empty()) {
        return fail(ErrorCode::bad_deck,
                    "native.text is missing (real ranks train on a text). Name a file in the "
                    "deck, e.g. text = \"../../data/verses.txt\".");
    }
    const auto path = std::filesystem::path(deck_path).parent_path() / name;
    auto text = read_text_file(path);
    if (!text) {
        return fail(ErrorCode::bad_deck,
                    "cannot read native.text {} (names are relative to the folder of the deck). "
                    "Correct the name.",
                    path.string());
    }
    return text;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

std::string report_of(const deck::Deck& deck, const emulation::NativeRun& run) {
    return fmt::format(
        "{}\n"
        "  {} step(s) on {} rank(s), all real\n"
        "  loss           {:.4f} -> {:.4f} nats a token\n"
        "  step time      {:.2f} ms (median of the slowest rank's)\n"
        "  peak memory    {:.2f} MiB of live tensors on the fullest rank\n",
        deck.job.title, run.losses.size(), run.peak_bytes.size(), run.losses.front(),
        run.losses.back(), median(run.step_wall_s) * 1e3,
        static_cast<double>(*std::ranges::max_element(run.peak_bytes)) / (1 << 20));
}

std::string json_of(const deck::Deck& deck, const emulation::NativeRun& run) {
    const nlohmann::ordered_json all{{"title", deck.job.title},
                                     {"world_size", run.peak_bytes.size()},
                                     {"losses", run.losses},
                                     {"step_wall_s", run.step_wall_s},
                                     {"peak_memory_bytes", run.peak_bytes},
                                     {"deck_sha256", deck.sha256}};
    return all.dump(2) + "\n";
}

/// @collective
Status native(const NativeOptions& options, const comm::Communicator& world) {
    auto deck = options.deck.load_on_all(world);
    if (!deck) {
        return tl::unexpected{deck.error()};
    }
    auto text =
        from_root(world, [&] { return read_text(options.deck.file(), deck->job.native.text); });
    if (!text) {
        return tl::unexpected{text.error()};
    }
    const std::int64_t steps = deck->job.native.steps;
    const std::int64_t every = std::max<std::int64_t>(1, steps / 10);
    auto run = emulation::run_native(
        world, deck->job, std::as_bytes(std::span{*text}),
        [&](std::int64_t step, double loss, double) {
            if (step % every == 0 || step == 1) {
                log_root(LogLevel::info, "native", "step {} of {}: loss {:.4f}", step, steps, loss);
            }
            return stop_requested();
        });
    if (!run) {
        return tl::unexpected{run.error()};
    }
    const Status printed = world.rank() == 0
                               ? print(options.json ? json_of(*deck, *run) : report_of(*deck, *run))
                               : Status{};
    return comm::agree(world, printed);
}

}  // namespace

Command add_native(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "native", "Train a small job for real, one process a rank (alone or under mpirun)");
    auto options = std::make_shared<NativeOptions>();
    options->deck.add_to(*app);
    app->add_flag("--json", options->json, "Print one JSON object instead of the text report");
    app->footer(
        "Examples:\n"
        "  prismllm native inputs/decks/tiny/gpt.toml --set native.steps=20\n"
        "  mpirun -np 4 prismllm native inputs/decks/tiny/llama.toml --json --set native.steps=20 "
        "--set parallel.world_size=4 --set parallel.tensor_parallel=2 "
        "--set parallel.pipeline_parallel=2");
    return {app, [options] {
                return in_mpi_job(
                    [&](const comm::Communicator& world) { return native(*options, world); });
            }};
}

}  // namespace prismllm::cli
