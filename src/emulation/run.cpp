// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "prismllm/base/counted.hpp"
#include "prismllm/emulation/mpi_exchange.hpp"
#include "prismllm/emulation/native.hpp"
#include "prismllm/engine/engine.hpp"

#include "real_side.hpp"
#include "roles.hpp"
#include "room.hpp"
#include "summary.hpp"

namespace prismllm::emulation {
namespace {

/// Timelines are kept in memory; real ranks always have one.
Status check_timelines(const graph::ExecutionGraph& graph, const target::Emulation& settings) {
    constexpr std::int64_t most_ops = std::int64_t{1} << 26;
    std::set<std::int64_t> ranks{settings.timeline_ranks.begin(), settings.timeline_ranks.end()};
    ranks.insert(settings.real_ranks.begin(), settings.real_ranks.end());
    const std::vector<std::int32_t> class_of = class_of_ranks(graph);
    std::int64_t ops = 0;
    for (const std::int64_t rank : ranks) {
        const auto c = static_cast<std::size_t>(class_of[static_cast<std::size_t>(rank)]);
        ops += static_cast<std::int64_t>(graph.classes[c].ops.size());
    }
    if (ops > 0 && settings.iterations > most_ops / ops) {
        return fail(ErrorCode::bad_deck,
                    "emulation.iterations {} with the timelines of {} (real ranks always "
                    "keep theirs; {} ops an iteration, {} in all are possible). Use fewer "
                    "iterations or ranks.",
                    settings.iterations, counted(ranks.size(), "rank"), ops, most_ops);
    }
    return {};
}

/// On the wall's clock processes hear nothing of each other during a pause.
Status check_pauses(const target::Emulation& settings) {
    if (settings.real_ranks.empty() || settings.clock != target::RunClock::wall) {
        return {};
    }
    for (const target::Pause& pause : settings.pauses) {
        if (pause.time_s > settings.watchdog_s) {
            return fail(ErrorCode::bad_deck,
                        "emulation.pauses lets rank {} pause for {} s on the clock of the wall "
                        "(emulation.watchdog ends the job after {} s). Use a shorter pause, a "
                        "longer emulation.watchdog, or the virtual clock.",
                        pause.rank, pause.time_s, settings.watchdog_s);
        }
    }
    return {};
}

Status check_settings(const graph::ExecutionGraph& graph, const target::Emulation& settings) {
    if (settings.iterations < 1) {
        return fail(ErrorCode::bad_deck,
                    "emulation.iterations is {} (there is nothing to emulate). Use at least 1.",
                    settings.iterations);
    }
    constexpr std::int64_t most_end_times = std::int64_t{1} << 28;
    if (settings.iterations > most_end_times / graph.world_size) {
        return fail(ErrorCode::bad_deck,
                    "emulation.iterations {} of {} ranks (the result keeps the end of every "
                    "iteration on every rank, at most {}). Use fewer iterations.",
                    settings.iterations, graph.world_size, most_end_times);
    }
    const auto outside = [&](std::int64_t rank) { return rank < 0 || rank >= graph.world_size; };
    for (const target::SlowRank& slow : settings.slow_ranks) {
        if (outside(slow.rank)) {
            return fail(ErrorCode::bad_deck,
                        "emulation.slow_ranks names rank {} (the job has ranks 0 to {}). Name a "
                        "rank of the job.",
                        slow.rank, graph.world_size - 1);
        }
    }
    const auto check_list = [&](const char* key, const std::vector<std::int64_t>& ranks) -> Status {
        for (const std::int64_t rank : ranks) {
            if (outside(rank)) {
                return fail(ErrorCode::bad_deck,
                            "emulation.{} names rank {} (the job has ranks 0 to {}). Name a rank "
                            "of the job.",
                            key, rank, graph.world_size - 1);
            }
        }
        return {};
    };
    if (auto ok = check_list("timeline_ranks", settings.timeline_ranks); !ok) {
        return ok;
    }
    if (auto ok = check_list("real_ranks", settings.real_ranks); !ok) {
        return ok;
    }
    for (const target::Pause& pause : settings.pauses) {
        if (outside(pause.rank)) {
            return fail(ErrorCode::bad_deck,
                        "emulation.pauses names rank {} (the job has ranks 0 to {}). Name a rank "
                        "of the job.",
                        pause.rank, graph.world_size - 1);
        }
    }
    if (auto ok = check_pauses(settings); !ok) {
        return ok;
    }
    return check_timelines(graph, settings);
}

engine::Options options_of(const target::Emulation& settings,
                           const std::function<bool()>& cancelled) {
    engine::Options options;
    options.seed = static_cast<std::uint64_t>(settings.seed);
    options.jitter = settings.jitter;
    for (const target::SlowRank& slow : settings.slow_ranks) {
        options.slow_ranks.push_back({slow.rank, slow.factor});
    }
    for (const target::Pause& pause : settings.pauses) {
        options.pauses.push_back({pause.rank, pause.iteration, std::llround(pause.time_s * 1e12)});
    }
    options.timeline_ranks = settings.timeline_ranks;
    options.timeline_ranks.insert(options.timeline_ranks.end(), settings.real_ranks.begin(),
                                  settings.real_ranks.end());
    options.cancelled = cancelled;
    return options;
}

store::PublishedValues values_of(const target::Published& p) {
    return {p.source, p.iteration_time_s,     p.model_tflops_per_gpu,
            p.mfu,    p.tokens_per_s_per_gpu, p.flops_formula,
            p.note};
}

/// How long a process waits for word of another one. A real rank that stands still is to be
/// reported by its own process, which knows where; others allow it a whole step, in case it cannot
/// (a process that was stopped).
std::chrono::milliseconds patience_of(const target::Emulation& settings) {
    constexpr double without_real_ranks_s = 600;
    const double seconds =
        settings.real_ranks.empty() ? without_real_ranks_s : 20 * settings.watchdog_s;
    return std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1e3)};
}

/// What the real ranks did. @collective
void describe_real(const RealSide& real, const RealRanks& ranks, const target::Emulation& settings,
                   store::ResultData& data) {
    data.real_ranks = real.rows();
    data.losses = real.losses();
    if (settings.real_durations == target::RealDurations::measured) {
        data.warnings.push_back(fmt::format(
            "kernels of real rank{} {} took as long as they take on this machine "
            "(emulation.real_durations); the shares by source are those of the other ranks.",
            ranks.ranks.size() == 1 ? "" : "s", fmt::join(ranks.ranks, ", ")));
    }
    const auto lost = std::ranges::find_if(data.losses, [](double l) { return !std::isfinite(l); });
    if (lost != data.losses.end()) {
        data.warnings.push_back(fmt::format(
            "the loss of the real ranks is not finite from iteration {} on: what virtual ranks "
            "send (emulation.payload) drove them out of the range of numbers.",
            lost - data.losses.begin()));
    }
}

/// Clocks are int64 picoseconds: refuse what would run past their end.
Status check_horizon(const comm::Communicator& comm, const engine::Engine& engine,
                     std::int64_t iterations) {
    const auto& ends = engine.results().end_ps;
    const std::int64_t mine = ends.empty() ? 0 : *std::max_element(ends.begin(), ends.end());
    const std::int64_t first = comm.reduce_all(mine, comm::Reduction::max);
    // Jitter is bounded, so that no iteration takes twice the first.
    if (first > std::numeric_limits<std::int64_t>::max() / 2 / iterations) {
        return fail(ErrorCode::bad_deck,
                    "emulation.iterations {} of {:.3g} s each (emulated time counts picoseconds "
                    "and ends at 106 days). Use fewer iterations.",
                    iterations, static_cast<double>(first) * 1e-12);
    }
    return {};
}

/// The real ranks of the job, if there are any; null otherwise. @collective
Expected<std::unique_ptr<RealSide>> make_real_side(const comm::Communicator& comm,
                                                   const graph::ExecutionGraph& graph,
                                                   const Roles& roles, const RealProgram* program) {
    if (roles.real.ranks.empty()) {
        return nullptr;
    }
    if (auto ok = check_native(program->job, std::nullopt,
                               static_cast<std::int64_t>(program->text.size()));
        !ok) {
        return tl::unexpected{ok.error()};
    }
    if (auto ok = check_room(comm, graph, roles.real.own, program->job.native.device); !ok) {
        return tl::unexpected{ok.error()};
    }
    return std::make_unique<RealSide>(comm, graph, roles.real, program->job,
                                      program::make_setup(program->job).value(), program->text,
                                      device::DeviceUse::Timing::each_kernel);
}

/// "real rank 5 on host rank 2, ..."
std::string places_of(const Roles& roles) {
    std::string text;
    for (const std::int64_t rank : roles.real.ranks) {
        text += fmt::format("{}rank {} on host rank {}", text.empty() ? "" : ", ", rank,
                            roles.owner[static_cast<std::size_t>(rank)]);
    }
    return text;
}

Status run_iterations(const comm::Communicator& comm, engine::Engine& engine, RealSide* real,
                      std::int64_t iterations, const std::function<bool()>& cancelled) {
    for (std::int64_t k = 0; k < iterations; ++k) {
        if (real != nullptr) {
            try {
                real->step();
            } catch (const StepStopped& stopped) {
                return tl::unexpected{stopped.error};
            }
        }
        if (auto ok = engine.run_iteration(); !ok) {
            return ok;
        }
        if (real != nullptr) {
            real->end_iteration(
                engine.results().end_ps.empty() ? 0 : engine.results().end_ps.back(), cancelled);
        }
        if (k == 0) {
            if (auto ok = check_horizon(comm, engine, iterations); !ok) {
                return ok;
            }
        }
    }
    return {};
}

}  // namespace

Expected<Emulated> emulate(const comm::Communicator& comm, const graph::ExecutionGraph& graph,
                           const target::Emulation& settings, const target::Published& published,
                           const RealProgram* program, const std::function<bool()>& cancelled) {
    if (auto ok = check_settings(graph, settings); !ok) {
        return tl::unexpected{ok.error()};
    }
    if (!settings.real_ranks.empty() && program == nullptr) {
        return fail(ErrorCode::bad_deck,
                    "emulation.real_ranks is set (a graph alone has no program to execute). Use "
                    "prismllm run with the deck, or --set 'emulation.real_ranks=[]'.");
    }
    const auto roles = assign_roles(graph, comm.size(), comm.rank(), settings.real_ranks);
    if (!roles) {
        return tl::unexpected{roles.error()};
    }
    Emulated result;
    result.placement =
        pin_processes(comm, roles->real.own ? placement::Duty::real_rank : placement::Duty::proxy);
    const auto begin = std::chrono::steady_clock::now();
    auto real = make_real_side(comm, graph, *roles, program);
    if (!real) {
        return tl::unexpected{real.error()};
    }
    engine::Options options = options_of(settings, cancelled);
    options.live = roles->real.own.has_value();
    if (*real != nullptr && settings.real_durations == target::RealDurations::measured) {
        options.measured_ps = (*real)->kernel_ps();
    }
    MpiExchange exchange{comm, patience_of(settings)};
    auto engine =
        std::make_unique<engine::Engine>(graph, roles->owner, exchange, std::move(options));
    if (*real != nullptr) {
        (*real)->follow(*engine, settings);
    }
    const auto run = [&]() -> Status {
        try {
            return run_iterations(comm, *engine, real->get(), settings.iterations, cancelled);
        } catch (const SystemError& silence) {
            if (*real == nullptr || silence.code() != ErrorCode::system) {
                throw;
            }
            throw SystemError{
                ErrorCode::job_failed,
                fmt::format("{} Real ranks are {}: see what holds them up, or allow them more time "
                            "(emulation.watchdog).",
                            silence.what(), places_of(*roles))};
        }
    };
    if (auto ok = run(); !ok) {
        // Messages may still be under way into the engine's buffers: it is given up, not freed.
        (void)engine.release();
        return tl::unexpected{ok.error()};
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;

    std::vector<std::int64_t> worst{
        static_cast<std::int64_t>(wall.count() * 1e9),
        static_cast<std::int64_t>(engine->state_bytes_per_participant() * 1e3)};
    comm.reduce_all(worst, comm::Reduction::max);
    result.engine_wall_s = static_cast<double>(worst[0]) * 1e-9;
    result.state_bytes_per_participant = static_cast<double>(worst[1]) * 1e-3;
    result.data.published = values_of(published);
    describe_graph(graph, result.data);
    summarize(comm, graph, engine->results(), settings, result.data);
    if (*real == nullptr && settings.clock == target::RunClock::wall) {
        result.data.warnings.emplace_back(
            "emulation.clock is \"wall\" and no rank is real (emulation.real_ranks): nobody "
            "waits.");
    }
    if (*real != nullptr) {
        describe_real(**real, roles->real, settings, result.data);
        result.real = (*real)->facts();
    }
    return result;
}

}  // namespace prismllm::emulation
