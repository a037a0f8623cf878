// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/program/schedule.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace prismllm::program {
namespace {

using target::PipelineSchedule;

/// "F0 F1 B0 ..."; with chunks, their letters after the micro-batch: "F0a".
std::string text(const std::vector<Action>& actions, bool chunks = false) {
    std::string out;
    for (const Action& a : actions) {
        if (!out.empty()) {
            out += ' ';
        }
        out += a.forward ? 'F' : 'B';
        out += std::to_string(a.micro_batch);
        if (chunks) {
            out += static_cast<char>('a' + a.chunk);
        }
    }
    return out;
}

TEST(Schedule, OneForwardOneBackwardWarmsUpByDistanceToTheLastStage) {
    const ScheduleShape shape{4, 1, 5};

    EXPECT_EQ(text(schedule_of(shape, 3)), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4");
    EXPECT_EQ(text(schedule_of(shape, 2)), "F0 F1 B0 F2 B1 F3 B2 F4 B3 B4");
    EXPECT_EQ(text(schedule_of(shape, 0)), "F0 F1 F2 F3 B0 F4 B1 B2 B3 B4");
}

TEST(Schedule, FewerMicroBatchesThanStagesStillEnds) {
    EXPECT_EQ(text(schedule_of({8, 1, 1}, 0)), "F0 B0");
    EXPECT_EQ(text(schedule_of({8, 1, 2}, 0)), "F0 F1 B0 B1");
}

TEST(Schedule, GPipeDoesAllForwardsFirst) {
    const ScheduleShape shape{4, 1, 3, PipelineSchedule::gpipe};

    EXPECT_EQ(text(schedule_of(shape, 0)), "F0 F1 F2 B0 B1 B2");
    EXPECT_EQ(text(schedule_of(shape, 3)), "F0 F1 F2 B0 B1 B2");
}

TEST(Schedule, InterleavedVisitsChunkAfterChunkInRounds) {
    // 2 stages, 2 chunks, 4 micro-batches: rounds of 2. Warm-up of stage 0: 2*1 + 1*2 = 4.
    const ScheduleShape shape{2, 2, 4};

    EXPECT_EQ(warmup_of(shape, 0), 4);
    EXPECT_EQ(warmup_of(shape, 1), 2);
    EXPECT_EQ(text(schedule_of(shape, 0), true),
              "F0a F1a F0b F1b F2a B0b F3a B1b F2b B0a F3b B1a B2b B3b B2a B3a");
}

TEST(Schedule, RoundsTakeAnyMultipleOfTheirNumber) {
    // 4 stages, 10 micro-batches: 2 rounds of 5 (case 9).
    const auto actions = schedule_of({4, 2, 10}, 3);

    EXPECT_EQ(text(actions, true).substr(0, 39), "F0a F1a F2a F3a F4a F0b B0b F1b B1b F2b");
}

TEST(Schedule, EveryActionHappensOnceAndForwardBeforeBackward) {
    for (const ScheduleShape shape : {ScheduleShape{4, 3, 8}, ScheduleShape{1, 1, 3},
                                      ScheduleShape{3, 2, 3}, ScheduleShape{5, 1, 2}}) {
        for (std::int64_t stage = 0; stage < shape.stages; ++stage) {
            std::map<std::pair<std::int64_t, std::int64_t>, int> state;
            for (const Action& a : schedule_of(shape, stage)) {
                int& s = state[{a.chunk, a.micro_batch}];
                EXPECT_EQ(s, a.forward ? 0 : 1);
                ++s;
            }
            EXPECT_EQ(state.size(), static_cast<std::size_t>(shape.chunks * shape.micro_batches));
            for (const auto& [key, s] : state) {
                EXPECT_EQ(s, 2);
            }
        }
    }
}

}  // namespace
}  // namespace prismllm::program
