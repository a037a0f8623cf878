// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Parts of check_consistent. Each trusts what the parts before it have checked, in the order
/// they stand here.
#pragma once

#include <utility>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {

template <class... Args>
[[nodiscard]] tl::unexpected<Error> broken(fmt::format_string<Args...> text, Args&&... args) {
    return fail(ErrorCode::bad_input, "{}. Make the graph again with the program that wrote it",
                fmt::format(text, std::forward<Args>(args)...));
}

/// True if the enumerator is one of the first `count` of its type.
template <class Enum>
[[nodiscard]] bool is_known(Enum value, int count) {
    return static_cast<int>(value) < count;
}

/// Upper bounds on single numbers, so that no sum or product of a replay overflows int64.
inline constexpr std::int64_t max_bytes = std::int64_t{1} << 50;
inline constexpr int max_axes = 16;

[[nodiscard]] Status check_sizes(const ExecutionGraph& graph);
[[nodiscard]] Status check_families(const ExecutionGraph& graph);
[[nodiscard]] Status check_descriptions(const ExecutionGraph& graph);
[[nodiscard]] Status check_classes(const ExecutionGraph& graph);
[[nodiscard]] Status check_members(const ExecutionGraph& graph);
[[nodiscard]] Status check_costs(const ExecutionGraph& graph);

}  // namespace prismllm::graph
