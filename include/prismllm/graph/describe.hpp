// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/graph/describe.hpp
/// Words for calls, ops and ranks, as reports of hung and contradicting jobs say them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {

/// "tp[3]"
[[nodiscard]] std::string communicator_name(const Family& family, std::int64_t group);

/// "all_reduce of 4096 bf16 (sum)"
[[nodiscard]] std::string describe(const Communication& call);

/// "op 12 on stream 'pipeline', forward, micro-batch 1"
[[nodiscard]] std::string place_of(const ExecutionGraph& graph, std::int32_t rank_class,
                                   std::uint32_t op);

/// The call and its place: "send of 4096 bf16 [op 12 on stream 'pipeline', forward, micro-batch 1]"
[[nodiscard]] std::string describe_op(const ExecutionGraph& graph, std::int32_t rank_class,
                                      std::uint32_t op);

/// "rank 3", "ranks 3 and 4", "ranks 3, 4, 5 and 12 more"
[[nodiscard]] std::string name_ranks(std::span<const std::int64_t> ranks);

/// Same call but for the split lists of an uneven all_to_all, whose totals may differ.
[[nodiscard]] bool is_same_call(const Communication& a, const Communication& b);

}  // namespace prismllm::graph
