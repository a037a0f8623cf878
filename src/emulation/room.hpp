// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Whether the tensors of real ranks fit into this machine, before they are made.
#pragma once

#include <cstdint>
#include <optional>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/communicator.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::emulation {

/// @return resources where the live tensors of the rank sum up to more than this machine has left,
/// or the device cannot be used. A GPU's room shows when it is asked for. @local
[[nodiscard]] Status check_room(const graph::ExecutionGraph& graph, std::int64_t rank,
                                target::RankDevice device);

/// The same for the real ranks of all processes, those of one machine together.
/// @param own rank that this process executes, if it does.
/// @return the same on all processes. @collective
[[nodiscard]] Status check_room(const comm::Communicator& world, const graph::ExecutionGraph& graph,
                                std::optional<std::int64_t> own, target::RankDevice device);

}  // namespace prismllm::emulation
