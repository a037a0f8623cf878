// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "prismllm/slicing/stitch.hpp"

#include "progress.hpp"

namespace prismllm::slicing {

/// The cycles in which a job stands still, one for all that are alike.
/// @pre the partition is exact, and progress.run() has returned false.
[[nodiscard]] std::vector<Defect> find_cycles(const SyncJob& job, const Partition& partition,
                                              const Progress& progress);

}  // namespace prismllm::slicing
