// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Do the calls that meet agree? Counts, kinds, sizes: everything but order across communicators.
#pragma once

#include <span>
#include <vector>

#include "prismllm/slicing/stitch.hpp"

#include "channels.hpp"

namespace prismllm::slicing {

/// Members of each communicator issue equal calls, sends pair with receives of their size.
/// One defect a channel: what follows the first one in a communicator is its consequence.
[[nodiscard]] std::vector<Defect> find_mismatches(const SyncJob& job,
                                                  std::span<const Channel> channels);

/// Pairs of an uneven all_to_all that disagree. @pre collectives match.
[[nodiscard]] std::vector<Defect> find_split_mismatches(const SyncJob& job);

}  // namespace prismllm::slicing
