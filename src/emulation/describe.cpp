// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "summary.hpp"

namespace prismllm::emulation {
namespace {

using graph::ExecutionGraph;
using graph::Op;
using graph::OpKind;
using graph::Provenance;

std::string call_name(const ExecutionGraph& graph, const graph::Communication& call) {
    return fmt::format("{} {}", name_of(call.kind), graph.families[call.family].name);
}

/// Cost of a call as the given rank pays it: the shape of its own group, or of its edge.
graph::Cost cost_for(const ExecutionGraph& graph, std::uint32_t index, std::int64_t rank,
                     const std::vector<graph::Membership>& memberships) {
    const graph::Communication& call = graph.communications[index];
    const graph::Family& family = graph.families[call.family];
    const auto at = static_cast<std::size_t>(rank);
    const graph::Membership& m = memberships[call.family];
    if (m.group[at] < 0) {
        return {};
    }
    std::size_t shape = graph.group_shape[call.family][static_cast<std::size_t>(m.group[at])];
    if (call.kind == graph::CollectiveKind::send || call.kind == graph::CollectiveKind::recv) {
        const std::int64_t size = family.group_size(m.group[at]);
        const std::int64_t peer = ((m.position[at] + call.peer_delta) % size + size) % size;
        const std::int64_t peer_rank = family.rank_at(m.group[at], peer);
        shape = peer_rank / graph.ranks_per_node == rank / graph.ranks_per_node ? 0 : 1;
    }
    return graph.communication_costs[index][shape];
}

struct ClassUse {
    std::int64_t first_rank = -1;
    std::int64_t ranks = 0;
};

std::vector<ClassUse> uses_of(const ExecutionGraph& graph) {
    std::vector<ClassUse> uses(graph.classes.size());
    for (const graph::RankRun& run : graph.rank_runs) {
        ClassUse& use = uses[static_cast<std::size_t>(run.rank_class)];
        if (use.first_rank < 0) {
            use.first_rank = run.first;
        }
        use.ranks += run.count;
    }
    return uses;
}

/// Time and calls by (communication?, name, provenance), as means over all virtual ranks. Ranks
/// of a class count as its first one does.
void add_coverage(const ExecutionGraph& graph, const std::vector<ClassUse>& uses,
                  store::ResultData& data) {
    std::vector<graph::Membership> memberships;
    for (const graph::Family& family : graph.families) {
        memberships.push_back(membership_of(family, graph.world_size));
    }
    using Key = std::tuple<bool, std::string, Provenance>;
    std::map<Key, std::pair<double, double>> rows;  // picoseconds, calls
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        if (uses[c].ranks == 0) {
            continue;
        }
        std::vector<std::int64_t> kernels(graph.kernels.size());
        std::vector<std::int64_t> calls(graph.communications.size());
        for (const Op& op : graph.classes[c].ops) {
            if (op.kind == OpKind::kernel) {
                ++kernels[op.index];
            } else if (op.kind == OpKind::communicate) {
                ++calls[op.index];
            }
        }
        const auto weight =
            static_cast<double>(uses[c].ranks) / static_cast<double>(graph.world_size);
        const auto add = [&](Key key, std::int64_t count, const graph::Cost& cost) {
            auto& row = rows[std::move(key)];
            row.first +=
                weight * static_cast<double>(count) * static_cast<double>(cost.duration_ps);
            row.second += weight * static_cast<double>(count);
        };
        for (std::uint32_t k = 0; k < kernels.size(); ++k) {
            if (kernels[k] > 0) {
                const graph::Cost& cost = graph.kernel_costs[k];
                add({false, std::string{name_of(graph.kernels[k].kind)}, cost.provenance},
                    kernels[k], cost);
            }
        }
        for (std::uint32_t k = 0; k < calls.size(); ++k) {
            if (calls[k] > 0) {
                const graph::Cost cost = cost_for(graph, k, uses[c].first_rank, memberships);
                add({true, call_name(graph, graph.communications[k]), cost.provenance}, calls[k],
                    cost);
            }
        }
    }
    for (const auto& [key, row] : rows) {
        data.coverage.push_back({std::get<1>(key), std::get<2>(key), std::get<0>(key),
                                 std::llround(row.first), row.second});
    }
}

/// Kernels whose time is a guess, when they take more than one percent of all time.
void warn_assumed(store::ResultData& data) {
    double total = 0;
    for (const store::CoverageRow& row : data.coverage) {
        total += static_cast<double>(row.time_ps);
    }
    for (const store::CoverageRow& row : data.coverage) {
        const auto time = static_cast<double>(row.time_ps);
        if (row.provenance == Provenance::assumed && time > 0.01 * total) {
            data.warnings.push_back(
                fmt::format("{:.1f} % of nominal kernel and communication time is in \"{}\", whose "
                            "duration is assumed from the datasheet (no fit for {}).",
                            100 * time / total, row.name, data.facts.device_name));
        }
    }
}

/// Times of two machines in one result.
void warn_measured(const ExecutionGraph& graph, store::ResultData& data) {
    const auto measured = std::ranges::count_if(graph.kernel_costs, [](const graph::Cost& cost) {
        return cost.provenance == Provenance::measured;
    });
    if (measured > 0) {
        data.warnings.push_back(fmt::format(
            "{} of {} kernel durations were measured by executing the kernels, {}", measured,
            graph.kernel_costs.size(),
            measured == static_cast<std::int64_t>(graph.kernel_costs.size())
                ? fmt::format("none is of {}.", data.facts.device_name)
                : fmt::format("the others are those of {}: times of two machines are mixed.",
                              data.facts.device_name)));
    }
}

}  // namespace

void describe_graph(const ExecutionGraph& graph, store::ResultData& data) {
    data.facts = graph.facts;
    data.world_size = graph.world_size;
    data.ranks_per_node = graph.ranks_per_node;
    data.streams = graph.streams;
    for (const graph::Family& family : graph.families) {
        store::FamilyRow row{family.name, family.kind, family.group_count(), 0};
        const std::int64_t checked =
            family.is_regular() ? std::min<std::int64_t>(1, row.groups) : row.groups;
        for (std::int64_t g = 0; g < checked; ++g) {
            row.largest_group = std::max(row.largest_group, family.group_size(g));
        }
        data.families.push_back(std::move(row));
    }
    const auto uses = uses_of(graph);
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        data.classes.push_back({graph.classes[c].name, graph.classes[c].stage, uses[c].ranks,
                                static_cast<std::int64_t>(graph.classes[c].ops.size())});
    }
    for (int k = 0; k < graph::kernel_kind_count; ++k) {
        data.op_names.emplace_back(name_of(static_cast<graph::KernelKind>(k)));
    }
    for (const graph::Communication& call : graph.communications) {
        data.op_names.push_back(call_name(graph, call));
    }
    add_coverage(graph, uses, data);
    warn_assumed(data);
    warn_measured(graph, data);
}

}  // namespace prismllm::emulation
