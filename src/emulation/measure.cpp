// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/measure.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "prismllm/emulation/native.hpp"
#include "prismllm/program/setup.hpp"

#include "mpi_transport.hpp"
#include "real_rank.hpp"
#include "room.hpp"

namespace prismllm::emulation {
namespace {

using Samples = std::vector<std::int64_t>;

/// The first rank of every class that has any.
std::vector<std::int64_t> one_of_each_class(const graph::ExecutionGraph& graph) {
    std::vector<std::int64_t> first(graph.classes.size(), -1);
    for (const graph::RankRun& run : graph.rank_runs) {
        std::int64_t& rank = first[static_cast<std::size_t>(run.rank_class)];
        if (rank < 0) {
            rank = run.first;
        }
    }
    std::erase(first, -1);
    return first;
}

void sample(const graph::ExecutionGraph& graph, std::int32_t rank_class,
            const std::vector<std::int64_t>& kernel_ps, std::vector<Samples>& samples) {
    const auto& ops = graph.classes[static_cast<std::size_t>(rank_class)].ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (ops[i].kind == graph::OpKind::kernel) {
            samples[ops[i].index].push_back(kernel_ps[i]);
        }
    }
}

/// Value with a part `q` of the samples below it.
std::int64_t quantile(Samples& samples, double q) {
    const auto at = static_cast<std::size_t>(q * static_cast<double>(samples.size() - 1) + 0.5);
    const auto place = samples.begin() + static_cast<std::ptrdiff_t>(at);
    std::ranges::nth_element(samples, place);
    return *place;
}

MeasuredKernels take_medians(std::vector<Samples>& samples, graph::ExecutionGraph& graph) {
    MeasuredKernels measured;
    std::vector<double> spreads;
    graph.kernel_spread.assign(graph.kernels.size(), 0);
    for (std::size_t k = 0; k < samples.size(); ++k) {
        if (samples[k].empty()) {
            continue;
        }
        ++measured.kernels;
        measured.samples += static_cast<std::int64_t>(samples[k].size());
        const std::int64_t median = quantile(samples[k], 0.5);
        const std::int64_t half = quantile(samples[k], 0.75) - quantile(samples[k], 0.25);
        graph.kernel_costs[k] = {median, graph::Provenance::measured};
        graph.kernel_spread[k] =
            median > 0 ? static_cast<double>(half) / static_cast<double>(median) : 0;
        spreads.push_back(graph.kernel_spread[k]);
    }
    std::ranges::sort(spreads);
    measured.spread = spreads.empty() ? 0 : spreads[spreads.size() / 2];
    return measured;
}

}  // namespace

Expected<MeasuredKernels> measure_kernels(graph::ExecutionGraph& graph, const RealProgram& program,
                                          std::int64_t repeats,
                                          const std::function<bool()>& cancelled) {
    if (auto ok =
            check_native(program.job, std::nullopt, static_cast<std::int64_t>(program.text.size()));
        !ok) {
        return tl::unexpected{ok.error()};
    }
    const program::Setup setup = program::make_setup(program.job).value();
    const std::chrono::duration<double> watchdog{program.job.emulation.watchdog_s};
    const std::vector<std::int32_t> class_of = class_of_ranks(graph);
    std::vector<Samples> samples(graph.kernels.size());
    const std::vector<std::int64_t> ranks = one_of_each_class(graph);
    for (const std::int64_t rank : ranks) {
        if (auto ok = check_room(graph, rank); !ok) {
            return tl::unexpected{ok.error()};
        }
        MpiTransport transport{graph.families, graph.world_size, rank,
                               Payloads{program.job.emulation.payload,
                                        static_cast<std::uint64_t>(program.job.native.seed)}};
        RealRank real{setup,
                      graph,
                      rank,
                      program.job.native,
                      program.text,
                      transport,
                      std::chrono::duration_cast<std::chrono::milliseconds>(watchdog)};
        for (std::int64_t step = 0; step <= repeats; ++step) {
            if (cancelled()) {
                return fail(ErrorCode::interrupted,
                            "interrupted while measuring rank {} (by a signal). Nothing was "
                            "written.",
                            rank);
            }
            real.step();
            if (step > 0) {  // the first one meets cold caches
                sample(graph, class_of[static_cast<std::size_t>(rank)], real.kernel_ps(), samples);
            }
        }
    }
    MeasuredKernels measured = take_medians(samples, graph);
    measured.ranks = static_cast<std::int64_t>(ranks.size());
    return measured;
}

}  // namespace prismllm::emulation
