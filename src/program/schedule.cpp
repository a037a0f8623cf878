// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/program/schedule.hpp"

#include <algorithm>

namespace prismllm::program {

std::int64_t round_size(const ScheduleShape& shape) {
    const std::int64_t rounds = std::max<std::int64_t>(1, shape.micro_batches / shape.stages);
    return shape.micro_batches / rounds;
}

namespace {

/// The k-th forward (or backward) of a stage: rounds of micro-batches, chunk after chunk;
/// backwards visit the chunks from the last to the first.
Action nth(const ScheduleShape& shape, bool forward, std::int64_t k) {
    if (shape.chunks == 1) {
        return {forward, 0, k};
    }
    const std::int64_t size = round_size(shape);
    const std::int64_t in_round = k % (size * shape.chunks);
    const std::int64_t chunk = in_round / size;
    return {forward, forward ? chunk : shape.chunks - 1 - chunk,
            k / (size * shape.chunks) * size + in_round % size};
}

}  // namespace

std::int64_t warmup_of(const ScheduleShape& shape, std::int64_t stage) {
    const std::int64_t total = shape.chunks * shape.micro_batches;
    if (shape.kind == target::PipelineSchedule::gpipe) {
        return total;
    }
    const std::int64_t behind = shape.stages - stage - 1;
    const std::int64_t wanted =
        shape.chunks == 1 ? behind : 2 * behind + (shape.chunks - 1) * round_size(shape);
    return std::min(total, wanted);
}

std::vector<Action> schedule_of(const ScheduleShape& shape, std::int64_t stage) {
    const std::int64_t total = shape.chunks * shape.micro_batches;
    const std::int64_t warmup = warmup_of(shape, stage);
    std::vector<Action> actions;
    actions.reserve(static_cast<std::size_t>(2 * total));
    for (std::int64_t k = 0; k < warmup; ++k) {
        actions.push_back(nth(shape, true, k));
    }
    for (std::int64_t k = warmup; k < total; ++k) {
        actions.push_back(nth(shape, true, k));
        actions.push_back(nth(shape, false, k - warmup));
    }
    for (std::int64_t k = total - warmup; k < total; ++k) {
        actions.push_back(nth(shape, false, k));
    }
    return actions;
}

}  // namespace prismllm::program
