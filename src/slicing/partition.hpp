// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Units of lock-step execution: ranks of one class that the proof advances together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

#include "sync_program.hpp"

namespace prismllm::slicing {

/// Every rank belongs to one unit; units are numbered by their lowest rank.
struct Partition {
    std::vector<std::uint32_t> unit_of_rank;
    std::vector<std::int64_t> first_rank;  ///< [unit], its lowest rank
    std::vector<std::uint32_t> program_of_unit;

    [[nodiscard]] std::size_t size() const { return first_rank.size(); }
    /// Split units whose ranks carry different labels.
    void refine(std::span<const std::uint32_t> labels);
};

/// The job as the proof sees it: a program for each class (for each size of the groups it sends
/// and receives in, should they differ), and the coarsest units.
struct SyncJob {
    const graph::ExecutionGraph& graph;
    std::vector<SyncProgram> programs;
    Partition units;

    [[nodiscard]] const SyncProgram& program_of(std::uint32_t unit,
                                                const Partition& partition) const {
        return programs[partition.program_of_unit[unit]];
    }
    /// True if some program has a list of this kind in the family.
    [[nodiscard]] bool uses(ListKind kind, graph::FamilyIndex family) const;
};

[[nodiscard]] SyncJob make_sync_job(const graph::ExecutionGraph& graph);

/// Units split by position in every family in which their class sends or receives.
[[nodiscard]] Partition split_by_position(const SyncJob& job);

/// Coarsest refinement in which all ranks of a unit have peers of the same units in every call,
/// so that advancing a unit at once is exactly what its ranks do one by one.
[[nodiscard]] Partition refine_until_exact(const SyncJob& job, Partition partition);

}  // namespace prismllm::slicing
