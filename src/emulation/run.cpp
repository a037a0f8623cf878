// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/run.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>

#include "prismllm/emulation/mpi_exchange.hpp"
#include "prismllm/engine/engine.hpp"
#include "prismllm/placement/assign.hpp"

#include "summary.hpp"

namespace prismllm::emulation {
namespace {

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
    for (const std::int64_t rank : settings.timeline_ranks) {
        if (outside(rank)) {
            return fail(ErrorCode::bad_deck,
                        "emulation.timeline_ranks names rank {} (the job has ranks 0 to {}). "
                        "Name a rank of the job.",
                        rank, graph.world_size - 1);
        }
    }
    return {};
}

engine::Options options_of(const target::Emulation& settings,
                           const std::function<bool()>& cancelled) {
    engine::Options options;
    options.seed = static_cast<std::uint64_t>(settings.seed);
    options.jitter = settings.jitter;
    for (const target::SlowRank& slow : settings.slow_ranks) {
        options.slow_ranks.push_back({slow.rank, slow.factor});
    }
    options.timeline_ranks = settings.timeline_ranks;
    options.cancelled = cancelled;
    return options;
}

store::PublishedValues values_of(const target::Published& p) {
    return {p.source, p.iteration_time_s,     p.model_tflops_per_gpu,
            p.mfu,    p.tokens_per_s_per_gpu, p.flops_formula,
            p.note};
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

Status run_iterations(const comm::Communicator& comm, engine::Engine& engine,
                      std::int64_t iterations) {
    for (std::int64_t k = 0; k < iterations; ++k) {
        if (auto ok = engine.run_iteration(); !ok) {
            return ok;
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
                           const std::function<bool()>& cancelled) {
    if (auto ok = check_settings(graph, settings); !ok) {
        return tl::unexpected{ok.error()};
    }
    Emulated result;
    result.placement = pin_processes(comm);
    const auto begin = std::chrono::steady_clock::now();
    MpiExchange exchange{comm};
    auto engine =
        std::make_unique<engine::Engine>(graph, placement::assign_owners(graph, comm.size()),
                                         exchange, options_of(settings, cancelled));
    if (auto ok = run_iterations(comm, *engine, settings.iterations); !ok) {
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
    return result;
}

}  // namespace prismllm::emulation
