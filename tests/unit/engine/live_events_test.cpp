// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>

#include <gtest/gtest.h>

#include "prismllm/base/random.hpp"

#include "cohort.hpp"

namespace {

using prismllm::mix_bits;
using prismllm::engine::LiveEvents;

TEST(LiveEvents, FindWhatAMapFindsThroughAnyHistory) {
    LiveEvents events;
    std::map<std::uint32_t, std::int64_t*> expected;
    std::vector<std::int64_t> slots(1000);
    for (std::uint32_t step = 0; step < 20'000; ++step) {
        const auto event = static_cast<std::uint32_t>(mix_bits(step) % 97);
        LiveEvents::Entry* entry = events.find(event);
        ASSERT_EQ(entry != nullptr, expected.count(event) == 1) << step;
        if (entry != nullptr) {
            ASSERT_EQ(entry->slot, expected[event]);
            events.remove(*entry);
            expected.erase(event);
        } else if (expected.size() < 60) {
            events.enter({event, 1, &slots[step % 1000], nullptr});
            expected[event] = &slots[step % 1000];
        }
        ASSERT_EQ(events.live(), expected.size());
    }
}

TEST(LiveEvents, StaySmallWhenFewAreAliveHoweverTheyAreNumbered) {
    LiveEvents events;
    std::int64_t slot = 0;
    for (std::uint32_t event = 0; event < 8; ++event) {
        events.enter({event * 1024, 1, &slot, nullptr});  // all low bits equal
    }

    EXPECT_LE(events.bytes(), 16 * sizeof(LiveEvents::Entry));
}

}  // namespace
