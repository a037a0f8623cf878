// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file src/target/expert_check.hpp
/// What of the settings of experts does not fit together; a part of make_layout.
#pragma once

#include "prismllm/target/job.hpp"

#include "problems.hpp"

namespace prismllm::target {

/// Ranks that share each expert's matrices: those of tensor parallelism unless given.
[[nodiscard]] inline std::int64_t expert_tensor_of(const Parallel& parallel) {
    return parallel.expert_tensor == 0 ? parallel.tensor : parallel.expert_tensor;
}

/// @pre all sizes are in their ranges.
void check_experts(const Model& model, const Parallel& parallel, Problems& problems);

}  // namespace prismllm::target
