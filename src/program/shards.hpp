// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// How the distributed optimizer cuts buckets: rank r of the data-parallel group (context ranks
/// included) updates the r-th of equal parts.
#pragma once

#include "context.hpp"

namespace prismllm::program {

[[nodiscard]] bool is_sharded(const Setup& setup);
/// Ranks that reduce one another's gradients.
[[nodiscard]] std::int64_t data_group_size(const Setup& setup);
/// Parts of a bucket; 1 without the distributed optimizer.
[[nodiscard]] std::int64_t shard_count(const Setup& setup);
/// The part of `bucket` (its weights or gradients) that this rank updates: all of it without the
/// distributed optimizer.
[[nodiscard]] Buffer owned_part(const Context& context, Buffer bucket);

}  // namespace prismllm::program
