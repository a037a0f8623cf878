// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The vector instructions: plain loops over the contiguous clocks of a cohort's lanes. They are
/// compiled for several instruction sets; all of it is integer arithmetic, so the bits agree.
/// `out` may be the same array as `clock`, but arrays never overlap otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "scaling.hpp"

namespace prismllm::engine::lanes {

void copy(std::int64_t* out, const std::int64_t* in, std::size_t n);

/// out = clock + work.
void advance(std::int64_t* out, const std::int64_t* clock, std::size_t n, std::int64_t work);
/// out = clock + work * factor.
void advance_scaled(std::int64_t* out, const std::int64_t* clock, const std::uint32_t* factor,
                    std::size_t n, std::int64_t work);
/// As above with the work of each lane.
void advance_each(std::int64_t* out, const std::int64_t* clock, const std::int64_t* work,
                  std::size_t n);
void advance_each_scaled(std::int64_t* out, const std::int64_t* clock, const std::int64_t* work,
                         const std::uint32_t* factor, std::size_t n);

/// A kernel as the jitter loop sees it.
struct JitteredKernel {
    JitterStep step;
    std::uint32_t counter = 0;  ///< random_counter of its op
};
/// work += sum over kernels of their jittered durations.
void add_jittered(std::int64_t* work, const std::uint32_t* first, const std::uint32_t* second,
                  std::size_t n, std::span<const JitteredKernel> kernels);

/// clock = max(clock, slot).
void raise(std::int64_t* clock, const std::int64_t* slot, std::size_t n);
/// As raise; what each clock rises is added to `other`.
void raise_other(std::int64_t* clock, const std::int64_t* slot, std::int64_t* other, std::size_t n);
/// As raise; of each rise at most `cost` is added to `communication`, the rest to `skew`.
void raise_accounted(std::int64_t* clock, const std::int64_t* slot, std::int64_t* communication,
                     std::int64_t* skew, std::size_t n, std::int64_t cost);

/// Lanes in `outer` blocks of `size` rows of `stride` lanes; a group is one column of a block.
struct Mesh {
    std::size_t outer = 1, size = 1, stride = 1;
};
/// out = maximum of clock over the group + cost.
void group_maximum(std::int64_t* out, const std::int64_t* clock, const Mesh& mesh,
                   std::int64_t cost);
/// One value a group, of clocks that agree within each group, and back.
void first_of_groups(std::int64_t* out, const std::int64_t* clock, const Mesh& mesh);
void spread_over_groups(std::int64_t* out, const std::int64_t* tops, const Mesh& mesh);
[[nodiscard]] std::int64_t maximum(const std::int64_t* clock, std::size_t n);

/// a = max(a, b) + cost_a, b = max(a, b) + cost_b: two clocks meet.
void meet(std::int64_t* a, std::int64_t* b, std::size_t n, std::int64_t cost_a,
          std::int64_t cost_b);
/// out = max(out, max(clock, peer) + cost).
void raise_to_pair(std::int64_t* out, const std::int64_t* clock, const std::int64_t* peer,
                   std::size_t n, std::int64_t cost);

}  // namespace prismllm::engine::lanes
