// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/communicator.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/environment.hpp"

namespace prismllm::comm {
namespace {

TEST(Environment, UsesAnMpiThatIsUpAndLeavesItUp) {
    { const Environment environment; }

    EXPECT_TRUE(is_running());
    EXPECT_FALSE(library_version().empty());
}

TEST(Communicator, WorldHasAllProcessesAndIsNotTheirWorldItself) {
    int size = 0;
    int rank = 0;
    int relation = MPI_IDENT;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    const auto world = Communicator::world();

    MPI_Comm_compare(MPI_COMM_WORLD, MPI_Comm_f2c(world.fortran_handle()), &relation);
    EXPECT_EQ(world.size(), size);
    EXPECT_EQ(world.rank(), rank);
    EXPECT_EQ(relation, MPI_CONGRUENT);
}

TEST(Communicator, BroadcastGivesEveryoneTheRootsBytesAndLength) {
    const auto world = Communicator::world();
    const int root = world.size() - 1;
    const std::string sent = std::string{"deck\0", 5} + std::string(70'000, 'z');
    std::string text = world.rank() == root ? sent : "other";

    world.broadcast(text, root);

    EXPECT_EQ(text, sent);
}

TEST(Communicator, BroadcastOfNothingEmptiesTheOthers) {
    const auto world = Communicator::world();
    std::vector<std::byte> bytes(world.rank() == 0 ? 0 : 5);

    world.broadcast(bytes);

    EXPECT_TRUE(bytes.empty());
}

TEST(Communicator, ReducesOverAllProcesses) {
    // Processes bring -1, 0, 1, ... : the last one brings size - 2.
    const auto world = Communicator::world();
    const std::int64_t n = world.size();
    const std::int64_t mine = world.rank() - 1;

    EXPECT_EQ(world.reduce_all(mine, Reduction::min), -1);
    EXPECT_EQ(world.reduce_all(mine, Reduction::max), n - 2);
    EXPECT_EQ(world.reduce_all(mine, Reduction::sum), n * (n - 1) / 2 - n);
}

TEST(Communicator, ReducesVectorsElementByElementBeyond32Bits) {
    const auto world = Communicator::world();
    constexpr std::int64_t large = std::int64_t{1} << 60;
    std::vector<std::int64_t> values{large + world.rank(), -large - world.rank()};

    world.reduce_all(values, Reduction::max);

    EXPECT_EQ(values, (std::vector<std::int64_t>{large + world.size() - 1, -large}));
}

TEST(Communicator, GathersListsOfDifferentLengthsByRank) {
    // Process r brings r values of r * 10; process 0 none.
    const auto world = Communicator::world();
    const auto r = static_cast<std::size_t>(world.rank());
    const std::vector<std::int64_t> mine(r, world.rank() * 10);

    const auto all = world.gather(mine);

    if (world.rank() != 0) {
        EXPECT_TRUE(all.empty());
        return;
    }
    ASSERT_EQ(all.size(), static_cast<std::size_t>(world.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i], std::vector<std::int64_t>(i, static_cast<std::int64_t>(i) * 10));
    }
}

TEST(Communicator, GathersTexts) {
    const auto world = Communicator::world();
    const int root = world.size() - 1;

    const auto all = world.gather("node " + std::to_string(world.rank()), root);

    ASSERT_EQ(all.size(), world.rank() == root ? static_cast<std::size_t>(world.size()) : 0U);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i], "node " + std::to_string(i));
    }
}

TEST(Communicator, SubsetIsForItsMembersOnly) {
    // Every second process: 0, 2, ...
    const auto world = Communicator::world();
    std::vector<int> members;
    for (int r = 0; r < world.size(); r += 2) {
        members.push_back(r);
    }

    const auto part = world.subset(members);

    ASSERT_EQ(part.has_value(), world.rank() % 2 == 0);
    if (part) {
        EXPECT_EQ(part->size(), static_cast<int>(members.size()));
        EXPECT_EQ(part->rank(), world.rank() / 2);
        EXPECT_EQ(part->reduce_all(1, Reduction::sum), part->size());
    }
}

TEST(Communicator, ProcessesOfOneMachineShareItsNode) {
    // Tests run on one machine.
    const auto world = Communicator::world();

    const auto node = world.split_by_node();

    EXPECT_EQ(node.size(), world.size());
    EXPECT_EQ(node.rank(), world.rank());
}

TEST(Communicator, FailureOfMpiIsASystemErrorWithTheCallsName) {
    const auto world = Communicator::world();
    std::string text = "x";

    try {
        world.broadcast(text, world.size());  // no such root
        FAIL() << "expected a SystemError";
    } catch (const SystemError& e) {
        EXPECT_EQ(e.code(), ErrorCode::system);
        EXPECT_NE(std::string{e.what()}.find("MPI_Ibcast failed (MPI_ERR_ROOT"), std::string::npos)
            << e.what();
    }
}

TEST(Communicator, SplitGivesThoseOfAColorTheOrderOfTheirKeys) {
    const auto world = Communicator::world();
    const int n = world.size();

    const auto half = world.split(world.rank() % 2, n - world.rank());
    const auto none = world.split(std::nullopt, 0);

    ASSERT_TRUE(half.has_value());
    EXPECT_FALSE(none.has_value());
    EXPECT_EQ(half->size(), (n + 1 - world.rank() % 2) / 2);
    EXPECT_EQ(half->rank(), half->size() - 1 - world.rank() / 2);  // keys fall with the rank
}

TEST(Communicator, GathersAndScattersFloatsByRank) {
    const auto world = Communicator::world();
    const auto n = static_cast<std::size_t>(world.size());
    const auto own = static_cast<float>(world.rank());
    const std::vector<float> brought{own, own + 0.5F};
    std::vector<float> all(2 * n);
    std::vector<float> part(2);

    world.gather_all(brought, all);
    world.sum_and_scatter(all, part);

    for (std::size_t r = 0; r < n; ++r) {
        EXPECT_EQ(all[2 * r], static_cast<float>(r));
        EXPECT_EQ(all[2 * r + 1], static_cast<float>(r) + 0.5F);
    }
    EXPECT_EQ(part[0], static_cast<float>(n) * own);
    EXPECT_EQ(part[1], static_cast<float>(n) * (own + 0.5F));
}

TEST(Communicator, ReducesFloatsAndDoubles) {
    const auto world = Communicator::world();
    const auto n = static_cast<double>(world.size());
    std::vector<float> floats{static_cast<float>(world.rank()), -static_cast<float>(world.rank())};
    std::vector<double> doubles{0.25, static_cast<double>(world.rank())};

    world.reduce_all(std::span{floats}, Reduction::max);
    world.reduce_all(std::span{doubles}, Reduction::sum);

    EXPECT_EQ(floats, (std::vector<float>{static_cast<float>(n) - 1, 0}));
    EXPECT_EQ(doubles, (std::vector<double>{n / 4, n * (n - 1) / 2}));
}

TEST(Communicator, FloatsGoRoundTheRing) {
    const auto world = Communicator::world();
    const int n = world.size();
    const std::vector<float> sent(1000, static_cast<float>(world.rank()));
    std::vector<float> received(1000);

    auto receive = world.start_recv((world.rank() + n - 1) % n, 0, std::span<float>{received});
    auto send = world.start_send((world.rank() + 1) % n, 0, std::span<const float>{sent});
    world.finish(send);
    world.finish(receive);
    world.finish(receive);  // again: nothing is left to wait for

    EXPECT_EQ(received, std::vector<float>(1000, static_cast<float>((world.rank() + n - 1) % n)));
}

}  // namespace
}  // namespace prismllm::comm
