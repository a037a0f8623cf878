// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/slice.hpp"

#include <unordered_map>
#include <utility>

#include "prismllm/program/recording.hpp"
#include "prismllm/program/setup.hpp"
#include "prismllm/slicing/assemble.hpp"
#include "prismllm/slicing/costs.hpp"
#include "prismllm/slicing/stitch.hpp"
#include "prismllm/target/parameters.hpp"

namespace prismllm::emulation {
namespace {

/// The source's own formula, so that the two figures compare. One that counts recomputation
/// gives no *model* FLOPs; Megatron's stands in for it.
target::FlopsFormula formula_of(const target::Job& job) {
    const auto named = target::flops_formula_named(job.published.flops_formula);
    return named.value_or(target::FlopsFormula::megatron) ==
                   target::FlopsFormula::hardware_full_recompute
               ? target::FlopsFormula::megatron
               : named.value_or(target::FlopsFormula::megatron);
}

graph::JobLayout layout_of(const target::Job& job, const program::Setup& setup) {
    const target::Layout& derived = setup.layout;
    graph::JobLayout layout;
    layout.tensor_parallel = derived.tensor;
    layout.context_parallel = derived.context;
    layout.pipeline_parallel = derived.pipeline;
    layout.virtual_pipeline = derived.virtual_pipeline;
    layout.data_parallel = derived.data;
    layout.expert_parallel = derived.experts_per_rank > 0 ? derived.expert : 1;
    layout.expert_tensor_parallel = derived.experts_per_rank > 0 ? derived.expert_tensor : 1;
    layout.zero_stage = job.parallel.zero_stage;
    layout.micro_batch_size = job.training.micro_batch_size;
    layout.micro_batches = derived.micro_batches;
    layout.global_batch_size = job.training.global_batch_size;
    layout.sequence_length = job.training.sequence_length;
    layout.sequence_parallel = job.parallel.sequence;
    return layout;
}

graph::JobFacts facts_of(const target::Job& job, const program::Setup& setup) {
    graph::JobFacts facts;
    facts.title = job.title;
    facts.device_name = job.device.name;
    facts.device_peak_flops = cost::peak_flops(job.device, job.training.precision);
    facts.device_memory_bytes = job.device.memory_bytes;
    const target::FlopsFormula formula = formula_of(job);
    facts.flops_formula = name_of(formula);
    facts.model_flops_per_iteration =
        target::flops_per_iteration(setup.model, setup.training, formula);
    facts.tokens_per_iteration = setup.training.global_batch_size * setup.training.sequence_length;
    facts.parameters = target::count_parameters(setup.model).total;
    facts.pipeline_stages = setup.layout.pipeline;
    facts.layout = layout_of(job, setup);
    return facts;
}

/// FLOPs the graph's kernels really execute, over all ranks.
double executed_flops(const graph::ExecutionGraph& graph) {
    std::vector<double> per_class(graph.classes.size(), 0);
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        for (const graph::Op& op : graph.classes[c].ops) {
            if (op.kind == graph::OpKind::kernel) {
                per_class[c] += graph.kernels[op.index].flops;
            }
        }
    }
    double total = 0;
    for (const graph::RankRun& run : graph.rank_runs) {
        total +=
            static_cast<double>(run.count) * per_class[static_cast<std::size_t>(run.rank_class)];
    }
    return total;
}

}  // namespace

Expected<graph::ExecutionGraph> slice_uncosted(const target::Job& job) {
    auto setup = program::make_setup(job);
    if (!setup) {
        return tl::unexpected{setup.error()};
    }
    graph::Interner interner;
    slicing::Assembler assembler;
    std::unordered_map<std::int64_t, std::int32_t> class_of_representative;
    for (const program::Representative& r : program::representatives_of(*setup)) {
        const auto [entry, is_new] = class_of_representative.try_emplace(r.representative, 0);
        if (is_new) {
            const auto stage =
                static_cast<std::int32_t>(setup->layout.coordinates(r.representative).pipeline);
            entry->second =
                assembler.add_slice(fmt::format("stage {}", stage), stage,
                                    program::record_slice(*setup, r.representative, interner));
        }
        assembler.assign(r.first, r.count, entry->second);
    }
    graph::ExecutionGraph graph =
        std::move(assembler).finish(interner, program::stream_names(), setup->family_list,
                                    setup->layout.world_size, job.cluster.gpus_per_node);
    graph.eager_bytes = job.emulation.eager_bytes;
    graph.facts = facts_of(job, *setup);
    graph.facts.hardware_flops_per_iteration = executed_flops(graph);
    return graph;
}

Expected<graph::ExecutionGraph> slice_job(const target::Job& job) {
    auto sliced = slice_uncosted(job);
    if (!sliced) {
        return sliced;
    }
    graph::ExecutionGraph& graph = *sliced;
    slicing::attach_costs(graph, cost::DeviceModel{job.device},
                          cost::CollectiveModel{job.device, job.cluster});
    if (auto ok = check_consistent(graph); !ok) {
        return fail(ErrorCode::bad_deck,
                    "the deck's settings make a job whose numbers are out of range ({}). Make "
                    "sizes smaller or rates higher.",
                    ok.error().message);
    }
    return sliced;
}

Expected<graph::ExecutionGraph> slice_and_prove(const target::Job& job) {
    auto graph = slice_job(job);
    if (graph) {
        if (auto proved = slicing::prove_and_mark(*graph); !proved) {
            return tl::unexpected{proved.error()};
        }
    }
    return graph;
}

}  // namespace prismllm::emulation
