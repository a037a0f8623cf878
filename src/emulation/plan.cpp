// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/plan.hpp"

#include <algorithm>

#include "prismllm/placement/assign.hpp"

#include "roles.hpp"

namespace prismllm::emulation {
namespace {

/// Timed ops of one iteration, [class].
std::vector<std::int64_t> timed_ops(const graph::ExecutionGraph& graph) {
    std::vector<std::int64_t> counts;
    for (const graph::RankClass& rank_class : graph.classes) {
        counts.push_back(std::ranges::count_if(rank_class.ops, [](const graph::Op& op) {
            return op.kind != graph::OpKind::allocate && op.kind != graph::OpKind::release;
        }));
    }
    return counts;
}

}  // namespace

Expected<Plan> plan_processes(const graph::ExecutionGraph& graph, int processes,
                              const std::vector<std::int64_t>& real_ranks,
                              const placement::Topology& topology, placement::Pinning pinning) {
    const auto roles = assign_roles(graph, processes, 0, real_ranks);
    if (!roles) {
        return tl::unexpected{roles.error()};
    }
    Plan plan;
    plan.processes.resize(static_cast<std::size_t>(processes));
    const std::vector<std::int64_t> ops = timed_ops(graph);
    const std::vector<std::int32_t> class_of = class_of_ranks(graph);
    const auto all = static_cast<double>(participant_ops(graph));
    for (std::size_t rank = 0; rank < roles->owner.size(); ++rank) {
        PlannedProcess& process = plan.processes[static_cast<std::size_t>(roles->owner[rank])];
        const auto number = static_cast<std::int64_t>(rank);
        process.first_rank = process.ranks == 0 ? number : process.first_rank;
        ++process.ranks;
        process.share += static_cast<double>(ops[static_cast<std::size_t>(class_of[rank])]) / all;
        if (roles->real.contains(number)) {
            process.real = number;
        }
    }
    plan.machine = topology.describe();
    std::vector<placement::Duty> duties;
    for (const PlannedProcess& process : plan.processes) {
        duties.push_back(process.real ? placement::Duty::real_rank : placement::Duty::proxy);
    }
    const auto seats = placement::choose_seats(topology, duties, pinning);
    for (std::size_t p = 0; p < seats.size(); ++p) {
        plan.processes[p].seat = seats[p].text;
    }
    for (const auto& crossing : placement::crossing_families(graph, roles->owner)) {
        plan.crossings.push_back(
            {graph.families[crossing.family].name, crossing.groups, crossing.crossing});
    }
    return plan;
}

}  // namespace prismllm::emulation
