// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/slicing/stitch.hpp
/// The stitching proof: does every collective have all its members in the same order, does every
/// send meet its receive, and can the whole job end? The answer is given before any time is
/// spent emulating, and it is the report an engineer wants for a hung NCCL job.
#pragma once

#include <string>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::slicing {

enum class DefectKind : std::uint8_t {
    mismatched_collective,  ///< members of a communicator issue different calls
    missing_collective,     ///< a member never issues the call its peers wait in
    unmatched_send,         ///< a send no one receives
    unmatched_recv,         ///< a receive no one sends to
    size_mismatch,          ///< send and receive disagree on size or dtype
    split_mismatch,         ///< an all-to-all pair disagrees on its number of elements
    cyclic_wait,            ///< each rank of a cycle waits for the next one
};

/// One thing that keeps the job from ending. `text` is a full sentence or several that name the
/// ranks, the communicator, the sequence number in it, the operations and the missing peer.
struct Defect {
    DefectKind kind = DefectKind::mismatched_collective;
    std::vector<std::int64_t> ranks;  ///< ranks named, the accused first
    std::string communicator;         ///< e.g. "tp[3]"
    std::int64_t sequence = 0;        ///< 0-based number of the collective in that communicator,
                                      ///< or of the message between that pair
    std::string text;
};

/// All defects of a consistent graph, in order of kind then rank, at most `limit`.
/// Cost follows the number of classes, not of ranks, unless something looks wrong.
[[nodiscard]] std::vector<Defect> find_defects(const graph::ExecutionGraph& graph,
                                               std::size_t limit = 20);

/// find_defects as a Status: job_failed with all texts, or success.
[[nodiscard]] Status prove(const graph::ExecutionGraph& graph);

/// prove, and leave the graph ready for a replay that advances all lanes of a class together:
/// - nothing changes where classes can run in lock step (every graph of 1F1B with one class a
///   stage);
/// - `split_classes_by_position` is set where lanes must be kept apart by their position in the
///   families in which their class sends or receives (equal middle stages of a pipeline);
/// - in the rare job where even that is too coarse, classes are split into more classes with the
///   same ops, so that again nothing else is asked of the replay.
[[nodiscard]] Status prove_and_mark(graph::ExecutionGraph& graph);

/// True if the graph is sound and lanes must be kept apart by position as said above.
[[nodiscard]] bool needs_position_split(const graph::ExecutionGraph& graph);

}  // namespace prismllm::slicing
