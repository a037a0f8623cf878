// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/measure.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "prismllm/emulation/native.hpp"
#include "prismllm/program/setup.hpp"

#include "medians.hpp"
#include "mpi_transport.hpp"
#include "real_rank.hpp"
#include "room.hpp"

namespace prismllm::emulation {
namespace {

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
        if (auto ok = check_room(graph, rank, program.job.native.device); !ok) {
            return tl::unexpected{ok.error()};
        }
        MpiTransport transport{graph.families, graph.world_size, rank,
                               Payloads{program.job.emulation.payload,
                                        static_cast<std::uint64_t>(program.job.native.seed)}};
        RealRank real{
            setup,        graph,
            rank,         program.job.native,
            program.text, transport,
            {},           std::chrono::duration_cast<std::chrono::milliseconds>(watchdog)};
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
