// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/slicing/stitch.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "channels.hpp"
#include "cycle.hpp"
#include "matching.hpp"
#include "partition.hpp"
#include "progress.hpp"

namespace prismllm::slicing {
namespace {

/// Coarsest units in which a sound job can be advanced in lock step.
enum class LockStep : std::uint8_t { by_class, by_position, by_part };

struct Finding {
    std::vector<Defect> defects;
    LockStep lock_step = LockStep::by_class;
    Partition units;  ///< of a sound job: ranks that can be advanced together
};

bool ends(const SyncJob& job, const Partition& partition) {
    const std::vector<Channel> channels = make_channels(job, partition);
    return Progress{job, partition, channels}.run();
}

/// Three tries, each with finer units: advancing coarse units only adds waits, so a job that ends
/// there ends; the last units are exact, so a job that stands still there hangs
/// (docs/explanation/stitching.md).
Finding examine_progress(const SyncJob& job, const std::vector<Channel>& channels) {
    const bool one_unit_a_class = job.units.size() == job.graph.classes.size();
    if (Progress{job, job.units, channels}.run()) {
        return {{}, one_unit_a_class ? LockStep::by_class : LockStep::by_part, job.units};
    }
    Partition by_position = split_by_position(job);
    if (ends(job, by_position)) {
        return {{},
                one_unit_a_class ? LockStep::by_position : LockStep::by_part,
                std::move(by_position)};
    }
    Partition exact = refine_until_exact(job, std::move(by_position));
    const std::vector<Channel> exact_channels = make_channels(job, exact);
    Progress progress{job, exact, exact_channels};
    if (progress.run()) {
        return {{}, LockStep::by_part, std::move(exact)};
    }
    std::vector<Defect> cycles = find_cycles(job, exact, progress);
    PRISMLLM_ASSERT(!cycles.empty(), "a standstill has a cycle");
    return {std::move(cycles), LockStep::by_class, {}};
}

Finding examine(const graph::ExecutionGraph& graph) {
    const SyncJob job = make_sync_job(graph);
    const std::vector<Channel> channels = make_channels(job, job.units);
    Finding finding;
    finding.defects = find_mismatches(job, channels);
    const bool collectives_match =
        std::none_of(finding.defects.begin(), finding.defects.end(), [](const Defect& defect) {
            return defect.kind == DefectKind::mismatched_collective ||
                   defect.kind == DefectKind::missing_collective;
        });
    if (collectives_match) {
        for (Defect& defect : find_split_mismatches(job)) {
            finding.defects.push_back(std::move(defect));
        }
    }
    // Calls that do not match have no order to check: what hangs then follows from them.
    if (finding.defects.empty()) {
        finding = examine_progress(job, channels);
    }
    std::stable_sort(finding.defects.begin(), finding.defects.end(),
                     [](const Defect& a, const Defect& b) {
                         return std::tie(a.kind, a.ranks.front(), a.sequence) <
                                std::tie(b.kind, b.ranks.front(), b.sequence);
                     });
    return finding;
}

Status status_of(const std::vector<Defect>& defects) {
    if (defects.empty()) {
        return {};
    }
    constexpr std::size_t most_told = 20;
    std::string text = fmt::format("the job cannot run to its end ({} defect{} found)",
                                   defects.size(), defects.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min(most_told, defects.size()); ++i) {
        text += fmt::format(".\n{}", defects[i].text);
    }
    return fail(ErrorCode::job_failed, "{}", text);
}

/// Give every unit a class of its own; the first part of a class keeps its number.
void split_classes(graph::ExecutionGraph& graph, const Partition& units) {
    const std::vector<std::int32_t> old_class = graph::class_of_ranks(graph);
    std::vector<std::int32_t> parts(graph.classes.size());
    std::vector<std::int32_t> class_of_unit;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        const std::int32_t c = old_class[static_cast<std::size_t>(units.first_rank[unit])];
        const std::int32_t part = parts[static_cast<std::size_t>(c)]++;
        if (part == 0) {
            class_of_unit.push_back(c);
            continue;
        }
        class_of_unit.push_back(static_cast<std::int32_t>(graph.classes.size()));
        graph::RankClass copy = graph.classes[static_cast<std::size_t>(c)];
        copy.name += fmt::format(", part {}", part);
        graph.classes.push_back(std::move(copy));
    }
    graph.rank_runs.clear();
    for (std::int64_t rank = 0; rank < graph.world_size; ++rank) {
        const std::int32_t c = class_of_unit[units.unit_of_rank[static_cast<std::size_t>(rank)]];
        if (graph.rank_runs.empty() || graph.rank_runs.back().rank_class != c) {
            graph.rank_runs.push_back({rank, 0, c});
        }
        ++graph.rank_runs.back().count;
    }
}

}  // namespace

std::vector<Defect> find_defects(const graph::ExecutionGraph& graph, std::size_t limit) {
    std::vector<Defect> defects = examine(graph).defects;
    if (defects.size() > limit) {
        defects.resize(limit);
    }
    return defects;
}

Status prove(const graph::ExecutionGraph& graph) {
    return status_of(examine(graph).defects);
}

Status prove_and_mark(graph::ExecutionGraph& graph) {
    const Finding finding = examine(graph);
    if (!finding.defects.empty()) {
        return status_of(finding.defects);
    }
    graph.split_classes_by_position = finding.lock_step == LockStep::by_position;
    if (finding.lock_step == LockStep::by_part) {
        split_classes(graph, finding.units);
    }
    return {};
}

bool needs_position_split(const graph::ExecutionGraph& graph) {
    const Finding finding = examine(graph);
    return finding.defects.empty() && finding.lock_step == LockStep::by_position;
}

}  // namespace prismllm::slicing
