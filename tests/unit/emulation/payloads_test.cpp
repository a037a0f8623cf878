// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What a lone real rank hears from virtual peers, by policy.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi_transport.hpp"

namespace prismllm::emulation {
namespace {

using graph::CollectiveKind;
using target::Payload;
using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t group_size = 4;

/// Rank 1 of four, all others virtual.
MpiTransport transport(Payload policy) {
    graph::Family tp;
    tp.name = "tp";
    tp.members = {{group_size, 1}};
    return {std::vector{tp}, group_size, 1, Payloads{policy, 7}};
}

graph::Communication call(CollectiveKind kind, graph::ReduceOp op = graph::ReduceOp::none) {
    graph::Communication c;
    c.kind = kind;
    c.reduce = op;
    c.peer_delta = 1;
    return c;
}

std::vector<float> all_reduced(Payload policy, graph::ReduceOp op, std::vector<float> values) {
    transport(policy).collective(call(CollectiveKind::all_reduce, op), values, values);
    return values;
}

TEST(Payloads, ReplicatedSumsAreTheMembersTimesTheGroup) {
    EXPECT_THAT(all_reduced(Payload::replicate, graph::ReduceOp::sum, {1, -2}), ElementsAre(4, -8));
    EXPECT_THAT(all_reduced(Payload::replicate, graph::ReduceOp::max, {1, -2}), ElementsAre(1, -2));
}

TEST(Payloads, ZerosAddNothing) {
    EXPECT_THAT(all_reduced(Payload::zeros, graph::ReduceOp::sum, {1, -2}), ElementsAre(1, -2));
    EXPECT_THAT(all_reduced(Payload::zeros, graph::ReduceOp::max, {1, -2}), ElementsAre(1, 0));
}

TEST(Payloads, EveryPositionGathersAPart) {
    const std::vector<float> own{3, 5};
    std::vector<float> all(2 * group_size, -1);
    transport(Payload::replicate).collective(call(CollectiveKind::all_gather), own, all);
    EXPECT_THAT(all, ElementsAre(3, 5, 3, 5, 3, 5, 3, 5));
    transport(Payload::zeros).collective(call(CollectiveKind::all_gather), own, all);
    EXPECT_THAT(all, ElementsAre(0, 0, 3, 5, 0, 0, 0, 0));
}

TEST(Payloads, AGatherInPlaceReadsItsPartFirst) {
    std::vector<float> all{9, 9, 3, 5, 9, 9, 9, 9};
    transport(Payload::replicate)
        .collective(call(CollectiveKind::all_gather), std::span<const float>{all}.subspan(2, 2),
                    all);
    EXPECT_THAT(all, ElementsAre(3, 5, 3, 5, 3, 5, 3, 5));
}

TEST(Payloads, AScatteredSumIsThisRanksPart) {
    const std::vector<float> all{0, 1, 2, 3};
    std::vector<float> own(1);
    transport(Payload::replicate)
        .collective(call(CollectiveKind::reduce_scatter, graph::ReduceOp::sum), all, own);
    EXPECT_THAT(own, ElementsAre(4 * 1.0F));
}

TEST(Payloads, AMessageIsWhatWasLastSentOrNoise) {
    MpiTransport rank = transport(Payload::replicate);
    std::vector<float> heard(64);
    rank.finish(rank.start_recv(call(CollectiveKind::recv), heard));
    EXPECT_GT(std::ranges::count_if(heard, [](float v) { return v != 0; }), 60);

    std::vector<float> said(64, 0.5F);
    rank.finish(rank.start_send(call(CollectiveKind::send), said));
    rank.finish(rank.start_recv(call(CollectiveKind::recv), heard));
    EXPECT_THAT(heard, Each(0.5F));

    MpiTransport silent = transport(Payload::zeros);
    silent.finish(silent.start_recv(call(CollectiveKind::recv), heard));
    EXPECT_THAT(heard, Each(0.0F));
}

TEST(Payloads, NoiseIsAsLargeAsTheRealValuesAndExactInBf16) {
    std::vector<float> values(4096, 0.25F);
    const std::vector<float> sums = all_reduced(Payload::random, graph::ReduceOp::sum, values);
    double squares = 0;
    for (const float sum : sums) {
        squares += std::pow(static_cast<double>(sum) - 0.25, 2);
    }
    // Three virtual members, each of the real one's size: sqrt(3) / 4.
    EXPECT_NEAR(std::sqrt(squares / 4096), std::sqrt(3.0) / 4, 0.02);

    const std::vector<float> own(512, 1.0F);
    std::vector<float> all(512 * group_size);
    transport(Payload::random).collective(call(CollectiveKind::all_gather), own, all);
    for (const float value : all) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        EXPECT_EQ(bits & 0xffffU, 0U);
    }
}

TEST(Payloads, TheSameSeedSaysTheSame) {
    const std::vector<float> values(64, 1.0F);
    EXPECT_EQ(all_reduced(Payload::random, graph::ReduceOp::sum, values),
              all_reduced(Payload::random, graph::ReduceOp::sum, values));
}

}  // namespace
}  // namespace prismllm::emulation
