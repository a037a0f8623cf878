// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/mpi_exchange.hpp"

#include <chrono>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/base/error.hpp"

namespace prismllm::emulation {
namespace {

using Ticket = engine::Exchange::Ticket;

void finish(MpiExchange& exchange, Ticket ticket) {
    while (!exchange.test(ticket)) {
        exchange.relax();
    }
}

std::vector<int> all_proxies(const MpiExchange& exchange) {
    std::vector<int> members(static_cast<std::size_t>(exchange.size()));
    std::iota(members.begin(), members.end(), 0);
    return members;
}

TEST(MpiExchange, NumbersProxiesAsTheCommunicatorDoes) {
    const auto world = comm::Communicator::world();

    const MpiExchange exchange{world};

    EXPECT_EQ(exchange.size(), world.size());
    EXPECT_EQ(exchange.self(), world.rank());
}

TEST(MpiExchange, MaximumIsOverTheMembersOfItsChannelOnly) {
    // Channel 0 has everybody, channel 1 everybody but proxy 0, who brings the largest value.
    MpiExchange exchange{comm::Communicator::world()};
    const std::vector<int> all = all_proxies(exchange);
    const std::vector<int> others{all.begin() + 1, all.end()};
    const int everybody = exchange.open_channel(all);
    const int without_first = exchange.open_channel(others);
    std::vector<std::int64_t> a{-exchange.self(), 7};
    std::vector<std::int64_t> b{-exchange.self()};

    finish(exchange, exchange.start_max(everybody, a));
    if (exchange.self() > 0) {
        finish(exchange, exchange.start_max(without_first, b));
    }

    EXPECT_EQ(a, (std::vector<std::int64_t>{0, 7}));
    EXPECT_EQ(b[0], exchange.self() > 0 ? -1 : 0);
}

TEST(MpiExchange, ChannelsOfEqualMembersDoNotMix) {
    // Odd proxies start the two maxima the other way round.
    MpiExchange exchange{comm::Communicator::world()};
    const int first = exchange.open_channel(all_proxies(exchange));
    const int second = exchange.open_channel(all_proxies(exchange));
    std::vector<std::int64_t> a{10 + exchange.self()};
    std::vector<std::int64_t> b{20 + exchange.self()};

    const bool odd = exchange.self() % 2 == 1;
    const Ticket one = odd ? exchange.start_max(second, b) : exchange.start_max(first, a);
    const Ticket two = odd ? exchange.start_max(first, a) : exchange.start_max(second, b);
    finish(exchange, two);
    finish(exchange, one);

    EXPECT_EQ(a[0], 10 + exchange.size() - 1);
    EXPECT_EQ(b[0], 20 + exchange.size() - 1);
}

TEST(MpiExchange, MessagesWithOneTagArriveInTheOrderSent) {
    MpiExchange exchange{comm::Communicator::world()};
    const int right = (exchange.self() + 1) % exchange.size();
    const int left = (exchange.self() + exchange.size() - 1) % exchange.size();
    const std::vector<std::int64_t> first(3, exchange.self());
    const std::vector<std::int64_t> second(3, exchange.self() + 100);
    std::vector<std::int64_t> got_first(3);
    std::vector<std::int64_t> got_second(3);

    const std::vector<Ticket> tickets{
        exchange.start_recv(left, 5, got_first), exchange.start_recv(left, 5, got_second),
        exchange.start_send(right, 5, first), exchange.start_send(right, 5, second)};
    for (const Ticket ticket : tickets) {
        finish(exchange, ticket);
    }

    EXPECT_EQ(got_first, std::vector<std::int64_t>(3, left));
    EXPECT_EQ(got_second, std::vector<std::int64_t>(3, left + 100));
}

TEST(MpiExchange, UsesTicketsAgain) {
    MpiExchange exchange{comm::Communicator::world()};
    const int channel = exchange.open_channel(all_proxies(exchange));
    std::vector<std::int64_t> values{1};

    const Ticket first = exchange.start_max(channel, values);
    finish(exchange, first);
    const Ticket second = exchange.start_max(channel, values);
    finish(exchange, second);

    EXPECT_EQ(second, first);
}

TEST(MpiExchange, ThousandRoundsStayQuickWhenProcessesShareCores) {
    // A process that kept its core while it waits would cost every round a scheduler slice
    // (20 to 40 ms with 8 processes on 2 cores): over 20 s. With back-off it is well under 1 s
    // on an idle machine; the bound leaves room for a busy one.
    MpiExchange exchange{comm::Communicator::world()};
    const int channel = exchange.open_channel(all_proxies(exchange));
    const auto begin = std::chrono::steady_clock::now();

    for (std::int64_t round = 0; round < 1000; ++round) {
        std::vector<std::int64_t> value{round * exchange.size() + exchange.self()};
        finish(exchange, exchange.start_max(channel, value));
        ASSERT_EQ(value[0], (round + 1) * exchange.size() - 1);
    }

    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    RecordProperty("wall_ms", static_cast<int>(wall.count() * 1e3));
    EXPECT_LT(wall.count(), 10.0);
}

TEST(MpiExchange, SilenceBeyondTheLimitIsAnError) {
    // Everyone waits for a message of its own that nobody sends.
    MpiExchange exchange{comm::Communicator::world(), std::chrono::milliseconds{50}};
    std::vector<std::int64_t> never(1);
    const Ticket ticket = exchange.start_recv(exchange.self(), 0, never);

    EXPECT_THROW(finish(exchange, ticket), SystemError);
}

TEST(MpiExchange, AbandonedMaximumDoesNotKeepTheJobFromEnding) {
    // Only proxy 0 starts it. The vector outlives the process's MPI on purpose.
    static std::vector<std::int64_t> values(1000, 1);
    MpiExchange exchange{comm::Communicator::world()};
    const int channel = exchange.open_channel(all_proxies(exchange));

    bool done = false;
    if (exchange.self() == 0) {
        done = exchange.test(exchange.start_max(channel, values));
    }

    EXPECT_TRUE(!done || exchange.size() == 1);
}

}  // namespace
}  // namespace prismllm::emulation
