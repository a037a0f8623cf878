// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/program/schedule.hpp
/// In which order one pipeline stage computes: a pure function, tested without a program.
#pragma once

#include <cstdint>
#include <vector>

#include "prismllm/target/job.hpp"

namespace prismllm::program {

/// One unit of work of a stage: the forward or backward of one micro-batch on one model chunk.
struct Action {
    bool forward = true;
    std::int64_t chunk = 0;
    std::int64_t micro_batch = 0;
    bool operator==(const Action&) const = default;
};

struct ScheduleShape {
    std::int64_t stages = 1;
    std::int64_t chunks = 1;  ///< virtual pipeline size
    std::int64_t micro_batches = 1;
    target::PipelineSchedule kind = target::PipelineSchedule::one_f_one_b;
};

/// Order of the 2 * chunks * micro_batches actions of `stage`.
/// 1F1B: min(stages - stage - 1, m) forwards of warm-up, then one forward one backward.
/// Interleaved (chunks > 1): micro-batches go in rounds = max(1, m / stages) of m / rounds each;
/// a round visits chunk after chunk; warm-up is 2 * (stages - stage - 1) + (chunks - 1) * round.
/// GPipe: all forwards, then all backwards.
/// @pre interleaved: m is a multiple of the rounds (target::make_layout checks it).
[[nodiscard]] std::vector<Action> schedule_of(const ScheduleShape& shape, std::int64_t stage);

/// Micro-batches of one round of an interleaved schedule.
[[nodiscard]] std::int64_t round_size(const ScheduleShape& shape);

/// Forwards before the first backward.
[[nodiscard]] std::int64_t warmup_of(const ScheduleShape& shape, std::int64_t stage);

}  // namespace prismllm::program
