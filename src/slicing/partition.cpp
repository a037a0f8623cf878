// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "prismllm/graph/hash.hpp"
#include "prismllm/graph/interner.hpp"

namespace prismllm::slicing {
namespace {

using graph::Family;
using graph::FamilyIndex;

/// Label every member of a family by a function of (group ranks, position); others get 0.
template <class LabelOf>
std::vector<std::uint32_t> label_members(const Family& family, std::size_t world,
                                         LabelOf&& label_of) {
    std::vector<std::uint32_t> labels(world);
    for (std::int64_t g = 0; g < family.group_count(); ++g) {
        const std::vector<std::int64_t> ranks = family.group_ranks(g);
        for (std::size_t p = 0; p < ranks.size(); ++p) {
            labels[static_cast<std::size_t>(ranks[p])] = label_of(ranks, p);
        }
    }
    return labels;
}

Partition one_unit_a_class(const graph::ExecutionGraph& graph) {
    Partition partition;
    partition.unit_of_rank.resize(static_cast<std::size_t>(graph.world_size));
    std::vector<std::uint32_t> unit_of_class(graph.classes.size(),
                                             static_cast<std::uint32_t>(graph.classes.size()));
    for (const graph::RankRun& run : graph.rank_runs) {
        std::uint32_t& unit = unit_of_class[static_cast<std::size_t>(run.rank_class)];
        if (unit == graph.classes.size()) {
            unit = static_cast<std::uint32_t>(partition.size());
            partition.first_rank.push_back(run.first);
            partition.program_of_unit.push_back(static_cast<std::uint32_t>(run.rank_class));
        }
        std::fill_n(partition.unit_of_rank.begin() + run.first, run.count, unit);
    }
    return partition;
}

/// Number of the set of units in each group, by family.
void refine_by_group(const SyncJob& job, FamilyIndex f, Partition& partition) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
    std::vector<std::uint32_t> set;
    const Family& family = job.graph.families[f];
    std::uint32_t label = 0;
    const auto labels = label_members(
        family, partition.unit_of_rank.size(),
        [&](const std::vector<std::int64_t>& ranks, std::size_t position) {
            if (position == 0) {
                set.clear();
                for (const std::int64_t rank : ranks) {
                    set.push_back(partition.unit_of_rank[static_cast<std::size_t>(rank)]);
                }
                std::sort(set.begin(), set.end());
                set.erase(std::unique(set.begin(), set.end()), set.end());
                label =
                    numbers.emplace(set, static_cast<std::uint32_t>(numbers.size())).first->second;
            }
            return label;
        });
    partition.refine(labels);
}

/// Split by the unit of the peer at each distance a program sends to or receives from.
void refine_by_peer(const SyncJob& job, FamilyIndex f, Partition& partition) {
    std::vector<std::int64_t> deltas;
    for (const SyncProgram& program : job.programs) {
        for (const ListKind kind : {ListKind::send, ListKind::recv}) {
            for (const ListKey& key : program.keys_of(kind, f)) {
                deltas.push_back(key.delta);
            }
        }
    }
    std::sort(deltas.begin(), deltas.end());
    deltas.erase(std::unique(deltas.begin(), deltas.end()), deltas.end());
    for (const std::int64_t delta : deltas) {
        const auto labels =
            label_members(job.graph.families[f], partition.unit_of_rank.size(),
                          [&](const std::vector<std::int64_t>& ranks, std::size_t position) {
                              const std::size_t peer =
                                  (position + static_cast<std::size_t>(delta)) % ranks.size();
                              return partition.unit_of_rank[static_cast<std::size_t>(ranks[peer])];
                          });
        partition.refine(labels);
    }
}

}  // namespace

void Partition::refine(std::span<const std::uint32_t> labels) {
    graph::RowIndex index;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
    Partition finer;
    finer.unit_of_rank.reserve(unit_of_rank.size());
    for (std::size_t rank = 0; rank < unit_of_rank.size(); ++rank) {
        const std::pair row{unit_of_rank[rank], labels[rank]};
        const auto next = static_cast<std::uint32_t>(rows.size());
        const std::uint32_t unit =
            index.find_or_enter(graph::hash_step(row.first, row.second), next,
                                [&](std::uint32_t candidate) { return rows[candidate] == row; });
        if (unit == next) {
            rows.push_back(row);
            finer.first_rank.push_back(static_cast<std::int64_t>(rank));
            finer.program_of_unit.push_back(program_of_unit[row.first]);
        }
        finer.unit_of_rank.push_back(unit);
    }
    *this = std::move(finer);
}

bool SyncJob::uses(ListKind kind, FamilyIndex family) const {
    return std::any_of(programs.begin(), programs.end(), [&](const SyncProgram& program) {
        const auto it = program.list_index.lower_bound({kind, family, 0});
        return it != program.list_index.end() && it->first.kind == kind &&
               it->first.family == family;
    });
}

SyncJob make_sync_job(const graph::ExecutionGraph& graph) {
    SyncJob job{graph, {}, one_unit_a_class(graph)};
    std::vector<std::vector<FamilyIndex>> pairwise;
    for (const graph::RankClass& rank_class : graph.classes) {
        pairwise.push_back(pairwise_families(graph, rank_class));
    }
    // Only irregular families have groups of several sizes; [family], empty if regular or unused.
    std::vector<std::vector<std::uint32_t>> group_sizes(graph.families.size());
    for (const std::vector<FamilyIndex>& families : pairwise) {
        for (const FamilyIndex f : families) {
            if (!graph.families[f].is_regular() && group_sizes[f].empty()) {
                group_sizes[f] =
                    label_members(graph.families[f], job.units.unit_of_rank.size(),
                                  [](const std::vector<std::int64_t>& ranks, std::size_t) {
                                      return static_cast<std::uint32_t>(ranks.size());
                                  });
                job.units.refine(group_sizes[f]);
            }
        }
    }
    for (std::uint32_t unit = 0; unit < job.units.size(); ++unit) {
        const std::uint32_t rank_class = job.units.program_of_unit[unit];
        const auto first = static_cast<std::size_t>(job.units.first_rank[unit]);
        std::vector<std::int64_t> sizes(graph.families.size(), 1);
        for (const FamilyIndex f : pairwise[rank_class]) {
            sizes[f] = group_sizes[f].empty() ? graph.families[f].group_size(0)
                                              : std::int64_t{group_sizes[f][first]};
        }
        job.programs.push_back(
            make_sync_program(graph, static_cast<std::int32_t>(rank_class), sizes));
        job.units.program_of_unit[unit] = unit;
    }
    return job;
}

Partition split_by_position(const SyncJob& job) {
    Partition partition = job.units;
    for (std::size_t i = 0; i < job.graph.families.size(); ++i) {
        const auto f = static_cast<FamilyIndex>(i);
        std::vector<bool> concerned;
        for (const SyncProgram& program : job.programs) {
            concerned.push_back(!program.keys_of(ListKind::send, f).empty() ||
                                !program.keys_of(ListKind::recv, f).empty());
        }
        if (std::find(concerned.begin(), concerned.end(), true) == concerned.end()) {
            continue;
        }
        partition.refine(label_members(
            job.graph.families[f], partition.unit_of_rank.size(),
            [&](const std::vector<std::int64_t>& ranks, std::size_t position) {
                const auto rank = static_cast<std::size_t>(ranks[position]);
                const bool moves =
                    concerned[partition.program_of_unit[partition.unit_of_rank[rank]]];
                return moves ? static_cast<std::uint32_t>(position) : 0U;
            }));
    }
    return partition;
}

Partition refine_until_exact(const SyncJob& job, Partition partition) {
    std::size_t before = 0;
    while (partition.size() != before) {
        before = partition.size();
        for (std::size_t i = 0; i < job.graph.families.size(); ++i) {
            const auto f = static_cast<FamilyIndex>(i);
            if (job.uses(ListKind::collective, f)) {
                refine_by_group(job, f, partition);
            }
            if (job.uses(ListKind::send, f) || job.uses(ListKind::recv, f)) {
                refine_by_peer(job, f, partition);
            }
        }
    }
    return partition;
}

}  // namespace prismllm::slicing
