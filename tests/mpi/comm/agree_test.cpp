// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/agree.hpp"

#include <string>

#include <gtest/gtest.h>

#include "prismllm/comm/communicator.hpp"

namespace prismllm::comm {
namespace {

TEST(Agree, IsOkWhenEveryProcessIsOk) {
    EXPECT_TRUE(agree(Communicator::world(), Status{}).has_value());
}

TEST(Agree, ReportsTheLowestFailingProcessOnEveryProcess) {
    const auto world = Communicator::world();
    const int first_bad = world.size() / 2;
    const Status local =
        world.rank() < first_bad
            ? Status{}
            : Status{fail(ErrorCode::bad_input, "slice {} is missing", world.rank())};

    const Status outcome = agree(world, local);

    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code, ErrorCode::bad_input);
    const std::string whose = first_bad == 0 ? "" : "host rank " + std::to_string(first_bad) + ": ";
    EXPECT_EQ(outcome.error().message,
              whose + "slice " + std::to_string(first_bad) + " is missing");
}

TEST(Agree, TakesCodeAndTextFromTheSameProcess) {
    // The last process fails with a higher code; the first one's must win where both fail.
    const auto world = Communicator::world();
    const Status local = world.rank() == 0 ? Status{fail(ErrorCode::bad_deck, "deck is wrong")}
                                           : Status{fail(ErrorCode::interrupted, "stopped")};

    const Status outcome = agree(world, local);

    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code, ErrorCode::bad_deck);
    EXPECT_EQ(outcome.error().message, "deck is wrong");
}

TEST(Agree, CutsMessagesOfMoreThan64KiB) {
    const auto world = Communicator::world();
    const Status local = fail(ErrorCode::system, "{}", std::string(100'000, 'x'));

    const Status outcome = agree(world, local);

    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().message, std::string(65'536, 'x'));
}

}  // namespace
}  // namespace prismllm::comm
