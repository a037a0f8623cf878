// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Speed of the engine on one core: `bench_engine [GRAPH.h5] [--benchmark_...]`. Without a graph
/// (of `prismllm slice`) the op list is a synthetic one shaped like Llama 3.1 405B on 8,192
/// devices. An op counts once for every participant that executes it (graph::participant_ops),
/// whether or not the engine fuses it with others. `ops/s` is the figure, `B/participant` the
/// state.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "prismllm/engine/engine.hpp"
#include "prismllm/store/graph_file.hpp"

#include "pipeline_job.hpp"

namespace {

using prismllm::engine::Engine;
using prismllm::engine::Options;
using prismllm::engine::SoloExchange;

prismllm::graph::ExecutionGraph& large_graph() {
    static auto graph = prismllm::samples::make_pipeline_job(prismllm::samples::large_job());
    return graph;
}

/// Take the graph file off the arguments, if there is one.
bool read_graph(int& count, char** arguments) {
    if (count < 2 || arguments[1][0] == '-') {
        return true;
    }
    auto stored = prismllm::store::read_graph(arguments[1]);
    if (!stored) {
        std::fprintf(stderr, "%s\n", stored.error().message.c_str());
        return false;
    }
    large_graph() = std::move(stored->graph);
    for (int i = 1; i + 1 < count; ++i) {
        arguments[i] = arguments[i + 1];
    }
    --count;
    return true;
}

/// A factor other than 1 on every lane, so that no fast path for equal lanes applies.
Options with_factors() {
    Options options;
    for (std::int64_t rank = 0; rank < large_graph().world_size; ++rank) {
        options.slow_ranks.push_back({rank, 1.0 + 0.0001 * static_cast<double>(rank % 97)});
    }
    return options;
}

void iterate(benchmark::State& state, const Options& options) {
    const auto& graph = large_graph();
    SoloExchange exchange;
    Engine engine{graph, std::vector<std::int32_t>(static_cast<std::size_t>(graph.world_size), 0),
                  exchange, options};
    for (auto _ : state) {
        if (!engine.run_iteration()) {
            state.SkipWithError("the job hangs");
            return;
        }
    }
    state.counters["ops/s"] = benchmark::Counter(static_cast<double>(engine.participant_ops()),
                                                 benchmark::Counter::kIsRate);
    state.counters["ops/rank"] = static_cast<double>(prismllm::graph::participant_ops(graph)) /
                                 static_cast<double>(graph.world_size);
    state.counters["B/participant"] = engine.state_bytes_per_participant();
}

void equal_lanes(benchmark::State& state) {
    Options options;
    options.account = state.range(0) != 0;
    iterate(state, options);
}
BENCHMARK(equal_lanes)->ArgName("account")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void lane_factors(benchmark::State& state) {
    Options options = with_factors();
    options.account = state.range(0) != 0;
    iterate(state, options);
}
BENCHMARK(lane_factors)->ArgName("account")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void lane_factors_and_jitter(benchmark::State& state) {
    Options options = with_factors();
    options.jitter = 0.02;
    options.account = state.range(0) != 0;
    iterate(state, options);
}
BENCHMARK(lane_factors_and_jitter)
    ->ArgName("account")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

/// Roster, compilation of 16 classes, components and links.
void set_up(benchmark::State& state) {
    const auto& graph = large_graph();
    for (auto _ : state) {
        SoloExchange exchange;
        Engine engine{graph,
                      std::vector<std::int32_t>(static_cast<std::size_t>(graph.world_size), 0),
                      exchange, Options{}};
        benchmark::DoNotOptimize(&engine);
    }
}
BENCHMARK(set_up)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int count, char** arguments) {
    if (!read_graph(count, arguments)) {
        return 1;
    }
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) {
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
