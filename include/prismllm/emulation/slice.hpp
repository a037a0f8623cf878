// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/slice.hpp
/// From a target job to its costed execution graph: play the training program for the ranks
/// that differ, class the slices, attach costs.
#pragma once

#include "prismllm/base/error.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::emulation {

/// What every rank does, without durations.
/// @return bad_deck when the job's settings contradict each other.
/// @local
[[nodiscard]] Expected<graph::ExecutionGraph> slice_uncosted(const target::Job& job);

/// Runs the program of one representative of each kind of rank at the target's world size.
/// The graph is consistent and costed, but not proved (slicing::prove_and_mark).
/// @return bad_deck when the job's settings contradict each other.
/// @local
[[nodiscard]] Expected<graph::ExecutionGraph> slice_job(const target::Job& job);

/// slice_job, then slicing::prove_and_mark; job_failed when the job would hang.
/// @local
[[nodiscard]] Expected<graph::ExecutionGraph> slice_and_prove(const target::Job& job);

}  // namespace prismllm::emulation
