// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/run.hpp"

#include <chrono>
#include <utility>

#include "prismllm/comm/agree.hpp"
#include "prismllm/emulation/mpi_exchange.hpp"
#include "prismllm/engine/engine.hpp"
#include "prismllm/placement/assign.hpp"

#include "summary.hpp"

namespace prismllm::emulation {
namespace {

Status check_ranks(const graph::ExecutionGraph& graph, const target::Emulation& settings) {
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

}  // namespace

Expected<Emulated> emulate(const comm::Communicator& comm, const graph::ExecutionGraph& graph,
                           const target::Emulation& settings, const target::Published& published,
                           const std::function<bool()>& cancelled) {
    if (auto ok = check_ranks(graph, settings); !ok) {
        return tl::unexpected{ok.error()};
    }
    Emulated result;
    result.placement = pin_processes(comm);
    const auto begin = std::chrono::steady_clock::now();
    MpiExchange exchange{comm};
    engine::Engine engine{graph, placement::assign_owners(graph, comm.size()), exchange,
                          options_of(settings, cancelled)};
    for (std::int64_t k = 0; k < settings.iterations; ++k) {
        if (auto ok = engine.run_iteration(); !ok) {
            return tl::unexpected{ok.error()};
        }
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;

    std::vector<std::int64_t> worst{
        static_cast<std::int64_t>(wall.count() * 1e9),
        static_cast<std::int64_t>(engine.state_bytes_per_participant() * 1e3)};
    comm.reduce_all(worst, comm::Reduction::max);
    result.engine_wall_s = static_cast<double>(worst[0]) * 1e-9;
    result.state_bytes_per_participant = static_cast<double>(worst[1]) * 1e-3;
    result.data.published = values_of(published);
    describe_graph(graph, result.data);
    summarize(comm, graph, engine.results(), settings, result.data);
    return result;
}

}  // namespace prismllm::emulation
