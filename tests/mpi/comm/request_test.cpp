// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/request.hpp"

#include <climits>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/backoff.hpp"
#include "prismllm/comm/communicator.hpp"

namespace prismllm::comm {
namespace {

void finish(Request& request) {
    Backoff backoff;
    while (!request.test()) {
        backoff.pause();
    }
}

TEST(Request, EmptyIsComplete) {
    Request request;

    EXPECT_TRUE(request.test());
}

TEST(Request, MaximumsMatchInOrderAndMayOverlap) {
    const auto world = Communicator::world();
    const std::int64_t r = world.rank();
    const std::int64_t last = world.size() - 1;
    std::vector<std::int64_t> first{r, -r};
    std::vector<std::int64_t> second{100 + r, 100 - r};

    Request a = world.start_max(first);
    Request b = world.start_max(second);
    finish(b);
    finish(a);

    EXPECT_EQ(first, (std::vector<std::int64_t>{last, 0}));
    EXPECT_EQ(second, (std::vector<std::int64_t>{100 + last, 100}));
}

TEST(Request, MessagesFindTheirReceiverByTag) {
    // A ring: to the right with tags 7 and the largest; received in the other order.
    const auto world = Communicator::world();
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    const std::vector<std::int64_t> small{world.rank()};
    const std::vector<std::int64_t> large(100'000, 1000 + world.rank());  // beyond eager
    std::vector<std::int64_t> from_small(1);
    std::vector<std::int64_t> from_large(large.size());

    Request s1 = world.start_send(right, 7, small);
    Request s2 = world.start_send(right, world.largest_tag(), large);
    Request r2 = world.start_recv(left, world.largest_tag(), from_large);
    Request r1 = world.start_recv(left, 7, from_small);
    for (Request* request : {&r2, &r1, &s1, &s2}) {
        finish(*request);
    }

    EXPECT_EQ(from_small[0], left);
    EXPECT_EQ(from_large, std::vector<std::int64_t>(large.size(), 1000 + left));
}

TEST(Request, DroppedReceiveGivesItsMessageToTheNext) {
    const auto world = Communicator::world();
    const std::vector<std::int64_t> sent{42};
    std::vector<std::int64_t> got(1, 0);
    std::vector<std::int64_t> dropped(1, 0);

    { const Request request = world.start_recv(world.rank(), 1, dropped); }
    Request receive = world.start_recv(world.rank(), 1, got);
    Request send = world.start_send(world.rank(), 1, sent);
    finish(receive);
    finish(send);

    EXPECT_EQ(got[0], 42);
    EXPECT_EQ(dropped[0], 0);
}

TEST(Request, RefusesMoreElementsThanMpiCounts) {
    // The count is looked at before the memory, of which there is one element only.
    const auto world = Communicator::world();
    std::int64_t one = 0;
    const std::span<std::int64_t> much{&one, static_cast<std::size_t>(INT_MAX) + 1};

    EXPECT_THROW(static_cast<void>(world.start_max(much)), SystemError);
    EXPECT_THROW(static_cast<void>(world.start_send(0, 0, much)), SystemError);
    EXPECT_THROW(static_cast<void>(world.start_recv(0, 0, much)), SystemError);
}

}  // namespace
}  // namespace prismllm::comm
