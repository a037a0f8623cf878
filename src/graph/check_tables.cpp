// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "check.hpp"

namespace prismllm::graph {
namespace {

bool is_amount(double value) {
    return std::isfinite(value) && value >= 0;
}

Status check_facts(const ExecutionGraph& graph) {
    const JobFacts& facts = graph.facts;
    if (!is_amount(facts.device_peak_flops) || !is_amount(facts.model_flops_per_iteration) ||
        !is_amount(facts.hardware_flops_per_iteration) || facts.device_memory_bytes < 0 ||
        facts.tokens_per_iteration < 0 || facts.parameters < 0) {
        return broken("a job fact is negative or not a number (facts are amounts)");
    }
    if (facts.pipeline_stages < 1 || facts.pipeline_stages > graph.world_size) {
        return broken("the job has {} pipeline stages (there must be 1 to {}, one rank each)",
                      facts.pipeline_stages, graph.world_size);
    }
    return {};
}

Status check_rank_runs(const ExecutionGraph& graph) {
    std::int64_t next = 0;
    for (std::size_t i = 0; i < graph.rank_runs.size(); ++i) {
        const RankRun& run = graph.rank_runs[i];
        if (run.first != next || run.count < 1 || run.count > graph.world_size - next) {
            return broken("rank run {} holds {} ranks from {} (ranks are covered up to {} of {})",
                          i, run.count, run.first, next, graph.world_size);
        }
        if (run.rank_class < 0 ||
            static_cast<std::size_t>(run.rank_class) >= graph.classes.size()) {
            return broken("rank run {} names class {} (there are {})", i, run.rank_class,
                          graph.classes.size());
        }
        next += run.count;
    }
    if (next != graph.world_size) {
        return broken("rank runs end at rank {} (the world has {})", next, graph.world_size);
    }
    return {};
}

/// Number of combinations of the axes, -1 if it exceeds `most` or an axis is senseless.
std::int64_t combinations(const std::vector<Axis>& axes, std::int64_t most) {
    std::int64_t n = 1;
    for (const Axis& axis : axes) {
        if (axis.size < 1 || axis.size > most / n || axis.stride < 0 || axis.stride > most) {
            return -1;
        }
        n *= axis.size;
    }
    return n;
}

/// Sufficient for all combinations to differ: each stride steps over all that lies below it.
bool is_nested(const Family& family) {
    std::vector<Axis> axes = family.members;
    axes.insert(axes.end(), family.groups.begin(), family.groups.end());
    std::sort(axes.begin(), axes.end(),
              [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
    std::int64_t extent = 1;
    for (const Axis& axis : axes) {
        if (axis.size > 1 && axis.stride < extent) {
            return false;
        }
        extent += (axis.size - 1) * axis.stride;
    }
    return true;
}

bool has_repeated_rank(const Family& family, std::int64_t world_size) {
    std::vector<bool> seen(static_cast<std::size_t>(world_size));
    for (std::int64_t g = 0; g < family.group_count(); ++g) {
        for (const std::int64_t rank : family.group_ranks(g)) {
            if (seen[static_cast<std::size_t>(rank)]) {
                return true;
            }
            seen[static_cast<std::size_t>(rank)] = true;
        }
    }
    return false;
}

Status check_regular(const Family& family, std::int64_t world_size) {
    const std::size_t axes = family.members.size() + family.groups.size();
    const std::int64_t members = combinations(family.members, world_size);
    const std::int64_t groups = combinations(family.groups, world_size);
    if (axes > max_axes || members < 0 || groups < 0 || members > world_size / groups) {
        return broken(
            "family '{}' has more members than the world has ranks, or too many axes "
            "(the world has {}, at most {} axes of positive size)",
            family.name, world_size, max_axes);
    }
    std::int64_t last = family.first;
    for (const std::vector<Axis>* list : {&family.members, &family.groups}) {
        for (const Axis& axis : *list) {
            last += (axis.size - 1) * axis.stride;  // below max_axes * world_size^2, 2^52
        }
    }
    if (family.first < 0 || family.first >= world_size || last >= world_size) {
        return broken("family '{}' spans ranks {} to {} (the world has {})", family.name,
                      family.first, last, world_size);
    }
    if (!family.ranks.empty()) {
        return broken("family '{}' lists ranks without group offsets (a regular family has none)",
                      family.name);
    }
    if (!is_nested(family) && has_repeated_rank(family, world_size)) {
        return broken("family '{}' holds a rank twice (a rank is in at most one group)",
                      family.name);
    }
    return {};
}

Status check_irregular(const Family& family, std::int64_t world_size) {
    const std::vector<std::int64_t>& offsets = family.group_offsets;
    const auto total = static_cast<std::int64_t>(family.ranks.size());
    if (!family.members.empty() || !family.groups.empty() || total > world_size ||
        offsets.front() != 0 || offsets.back() != total) {
        return broken(
            "family '{}' lists {} ranks with offsets {} to {} (offsets run from 0 to "
            "the number of ranks, at most {}, and no axes are given)",
            family.name, total, offsets.front(), offsets.back(), world_size);
    }
    for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
        if (offsets[g + 1] <= offsets[g] || offsets[g + 1] > total) {
            return broken(
                "group {} of family '{}' lies from {} to {} of {} (groups are not empty "
                "and follow each other)",
                g, family.name, offsets[g], offsets[g + 1], total);
        }
    }
    for (const std::int64_t rank : family.ranks) {
        if (rank < 0 || rank >= world_size) {
            return broken("family '{}' names rank {} (the world has {})", family.name, rank,
                          world_size);
        }
    }
    if (has_repeated_rank(family, world_size)) {
        return broken("family '{}' holds a rank twice (a rank is in at most one group)",
                      family.name);
    }
    return {};
}

std::int64_t largest_group(const Family& family) {
    std::int64_t largest = 0;
    for (std::int64_t g = 0; g < (family.is_regular() ? 1 : family.group_count()); ++g) {
        largest = std::max(largest, family.group_size(g));
    }
    return largest;
}

bool is_rooted(CollectiveKind kind) {
    return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
}

Status check_call(const ExecutionGraph& graph, std::size_t i,
                  const std::vector<std::int64_t>& largest) {
    const Communication& call = graph.communications[i];
    if (!is_known(call.kind, 9) || !is_known(call.dtype, 7) || !is_known(call.reduce, 4)) {
        return broken("communication {} has an unknown kind, dtype or reduction", i);
    }
    if (call.family >= graph.families.size()) {
        return broken("communication {} names family {} (there are {})", i, call.family,
                      graph.families.size());
    }
    if (call.elements < 0 ||
        call.elements > max_bytes / size_of(call.dtype) / largest[call.family]) {
        return broken("communication {} moves {} elements of {} in groups of {} (0 to 2^50 bytes)",
                      i, call.elements, name_of(call.dtype), largest[call.family]);
    }
    if (is_rooted(call.kind) ? call.root < 0 || call.root >= largest[call.family]
                             : call.root < -1) {
        return broken("communication {} has root {} (groups of '{}' have up to {} members)", i,
                      call.root, graph.families[call.family].name, largest[call.family]);
    }
    const bool uneven = call.splits != -1;
    if (call.splits < -1 || (uneven && call.kind != CollectiveKind::all_to_all) ||
        (uneven && static_cast<std::size_t>(call.splits) >= graph.splits.size())) {
        return broken("communication {} names splits {} (there are {}, for all_to_all only)", i,
                      call.splits, graph.splits.size());
    }
    return {};
}

Status check_splits(const ExecutionGraph& graph) {
    for (std::size_t i = 0; i < graph.splits.size(); ++i) {
        const ExecutionGraph::Splits& splits = graph.splits[i];
        for (const std::vector<std::int64_t>* side : {&splits.send, &splits.receive}) {
            for (const std::int64_t elements : *side) {
                if (elements < 0 || elements > max_bytes) {
                    return broken("splits {} hold {} elements (0 to 2^50)", i, elements);
                }
            }
        }
    }
    return {};
}

Status check_cost_rows(const ExecutionGraph& graph, const std::vector<std::size_t>& shapes) {
    for (std::size_t c = 0; c < graph.communications.size(); ++c) {
        const Communication& call = graph.communications[c];
        const bool pairwise =
            call.kind == CollectiveKind::send || call.kind == CollectiveKind::recv;
        const std::size_t needed = pairwise ? 2 : shapes[call.family];
        if (graph.communication_costs[c].size() < needed) {
            return broken("communication {} has {} costs (its groups have {} shapes)", c,
                          graph.communication_costs[c].size(), needed);
        }
        for (const Cost& cost : graph.communication_costs[c]) {
            if (cost.duration_ps < 0 || !is_known(cost.provenance, 4)) {
                return broken("communication {} has a negative cost or an unknown provenance", c);
            }
        }
    }
    return {};
}

/// The ops' durations, each at its dearest, sum to no more than the limit.
bool fits_clock(const ExecutionGraph& graph, const RankClass& rank_class) {
    std::int64_t sum = 0;
    for (const Op& op : rank_class.ops) {
        std::int64_t duration = 0;
        if (op.kind == OpKind::kernel) {
            duration = graph.kernel_costs[op.index].duration_ps;
        } else if (op.kind == OpKind::communicate) {
            for (const Cost& cost : graph.communication_costs[op.index]) {
                duration = std::max(duration, cost.duration_ps);
            }
        }
        if (duration > max_class_duration_ps - sum) {
            return false;
        }
        sum += duration;
    }
    return true;
}

}  // namespace

Status check_sizes(const ExecutionGraph& graph) {
    if (graph.world_size < 1 || graph.world_size > max_world_size) {
        return broken("the world has {} ranks (1 to {})", graph.world_size, max_world_size);
    }
    if (graph.ranks_per_node < 1 || graph.eager_bytes < 0) {
        return broken("a node holds {} ranks and sends up to {} bytes are eager (at least 1 and 0)",
                      graph.ranks_per_node, graph.eager_bytes);
    }
    if (graph.streams.empty() || graph.streams.size() > 255) {
        return broken("there are {} streams (1 to 255)", graph.streams.size());
    }
    if (Status status = check_facts(graph); !status) {
        return status;
    }
    return check_rank_runs(graph);
}

Status check_families(const ExecutionGraph& graph) {
    if (graph.families.size() > std::numeric_limits<FamilyIndex>::max()) {
        return broken("there are {} families (at most {})", graph.families.size(),
                      std::numeric_limits<FamilyIndex>::max());
    }
    for (const Family& family : graph.families) {
        if (!is_known(family.kind, 14)) {
            return broken("family '{}' is of an unknown kind", family.name);
        }
        Status status = family.is_regular() ? check_regular(family, graph.world_size)
                                            : check_irregular(family, graph.world_size);
        if (!status) {
            return status;
        }
    }
    return {};
}

Status check_descriptions(const ExecutionGraph& graph) {
    for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
        const Kernel& kernel = graph.kernels[i];
        if (!is_known(kernel.kind, kernel_kind_count) || !is_known(kernel.dtype, 7) ||
            !is_amount(kernel.flops) || kernel.bytes < 0 ||
            std::any_of(kernel.shape.begin(), kernel.shape.end(),
                        [](std::int64_t extent) { return extent < 0; })) {
            return broken("kernel {} has an unknown kind or dtype, or a negative amount", i);
        }
    }
    std::vector<std::int64_t> largest;
    for (const Family& family : graph.families) {
        largest.push_back(std::max<std::int64_t>(1, largest_group(family)));
    }
    for (std::size_t i = 0; i < graph.communications.size(); ++i) {
        if (Status status = check_call(graph, i, largest); !status) {
            return status;
        }
    }
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const Tensor& tensor = graph.tensors[i];
        if (!is_known(tensor.role, tensor_role_count) || tensor.bytes < 0 ||
            tensor.bytes > max_bytes) {
            return broken("tensor {} ('{}') has an unknown role or {} bytes (0 to 2^50)", i,
                          tensor.name, tensor.bytes);
        }
    }
    return check_splits(graph);
}

Status check_costs(const ExecutionGraph& graph) {
    if (graph.kernel_costs.empty() && graph.group_shape.empty() &&
        graph.communication_costs.empty()) {
        return {};
    }
    if (graph.kernel_costs.size() != graph.kernels.size() ||
        graph.group_shape.size() != graph.families.size() ||
        graph.communication_costs.size() != graph.communications.size()) {
        return broken(
            "costs cover {} kernels, {} families and {} communications (there are {}, {} "
            "and {})",
            graph.kernel_costs.size(), graph.group_shape.size(), graph.communication_costs.size(),
            graph.kernels.size(), graph.families.size(), graph.communications.size());
    }
    for (std::size_t i = 0; i < graph.kernel_costs.size(); ++i) {
        if (graph.kernel_costs[i].duration_ps < 0 ||
            !is_known(graph.kernel_costs[i].provenance, 4)) {
            return broken("kernel {} has a negative cost or an unknown provenance", i);
        }
    }
    if (!graph.kernel_spread.empty() && graph.kernel_spread.size() != graph.kernels.size()) {
        return broken("spreads cover {} kernels (there are {})", graph.kernel_spread.size(),
                      graph.kernels.size());
    }
    std::vector<std::size_t> shapes;
    for (std::size_t f = 0; f < graph.families.size(); ++f) {
        const std::vector<std::uint16_t>& row = graph.group_shape[f];
        if (static_cast<std::int64_t>(row.size()) != graph.families[f].group_count()) {
            return broken("family '{}' has shapes for {} groups (there are {})",
                          graph.families[f].name, row.size(), graph.families[f].group_count());
        }
        shapes.push_back(row.empty() ? 0 : *std::max_element(row.begin(), row.end()) + 1U);
    }
    if (Status status = check_cost_rows(graph, shapes); !status) {
        return status;
    }
    for (const RankClass& rank_class : graph.classes) {
        if (!fits_clock(graph, rank_class)) {
            return broken(
                "the durations of class '{}' sum to more than {} ps (clocks would "
                "overflow)",
                rank_class.name, max_class_duration_ps);
        }
    }
    return {};
}

}  // namespace prismllm::graph
