// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "run_engine.hpp"

namespace {

using namespace prismllm;
using prismllm::samples::GraphBuilder;
using prismllm::samples::replay;

/// Classes of one rank each, with a kernel of its own length before what follows.
struct Job {
    explicit Job(std::int64_t world, std::vector<std::string> streams = {"compute"})
        : builder{world, std::move(streams)}, all{builder.family("all", {{world, 1}}, {})} {}
    GraphBuilder builder;
    graph::FamilyIndex all;
};

TEST(Collective, EndsForAllWhenTheSlowestMemberHasComePlusTheCost) {
    Job job{3};
    const auto reduce = job.builder.collective(job.all, {7});
    for (const std::int64_t work : {100, 300, 200}) {
        auto ops = job.builder.rank_class(1, "r");
        ops.kernel(0, job.builder.kernel(work));
        ops.call(0, reduce);
    }

    const auto results = replay(job.builder.graph());

    EXPECT_EQ(results.end_ps, (std::vector<std::int64_t>{307, 307, 307}));
}

TEST(Collective, TakesTheCostOfTheShapeOfItsGroup) {
    GraphBuilder builder{4, {"compute"}};
    const auto pairs = builder.family("pairs", {{2, 1}}, {{2, 2}});
    const auto reduce = builder.collective(pairs, {10, 50});
    builder.graph().group_shape[pairs] = {0, 1};
    builder.rank_class(4, "all").call(0, reduce);

    const auto results = replay(builder.graph());

    EXPECT_EQ(results.end_ps, (std::vector<std::int64_t>{10, 10, 50, 50}));
}

/// Lanes ready at 1, 2, ... (rank + 1) through slow ranks; one collective in the given family.
std::vector<std::int64_t> after_collective(GraphBuilder& builder, graph::FamilyIndex family,
                                           std::int64_t world) {
    const auto reduce = builder.collective(family, {1000});
    auto ops = builder.rank_class(world, "all");
    ops.kernel(0, builder.kernel(1));
    ops.call(0, reduce);
    engine::Options options;
    for (std::int64_t rank = 0; rank < world; ++rank) {
        options.slow_ranks.push_back({rank, static_cast<double>(rank + 1)});
    }
    return replay(builder.graph(), options).end_ps;
}

TEST(Collective, ContiguousGroupsOfAnySizeReduceOverNeighbors) {
    for (const std::int64_t size : {1, 2, 3, 4, 8, 16, 24, 48}) {
        GraphBuilder builder{48, {"compute"}};
        const auto family = builder.family("tp", {{size, 1}}, {{48 / size, size}});

        const auto ends = after_collective(builder, family, 48);

        for (std::int64_t rank = 0; rank < 48; ++rank) {
            const std::int64_t slowest = (rank / size + 1) * size;
            EXPECT_EQ(ends[static_cast<std::size_t>(rank)], slowest + 1000)
                << "size " << size << " rank " << rank;
        }
    }
}

TEST(Collective, StridedGroupsReduceOverColumnsOfEachBlock) {
    GraphBuilder builder{48, {"compute"}};
    // 2 blocks of 4 rows of 6 columns.
    const auto family = builder.family("dp", {{4, 6}}, {{6, 1}, {2, 24}});

    const auto ends = after_collective(builder, family, 48);

    for (std::int64_t rank = 0; rank < 48; ++rank) {
        const std::int64_t slowest = rank / 24 * 24 + 18 + rank % 6 + 1;
        EXPECT_EQ(ends[static_cast<std::size_t>(rank)], slowest + 1000) << rank;
    }
}

TEST(Collective, IrregularGroupsReduceOverTheirOwnMembers) {
    GraphBuilder builder{6, {"compute"}};
    const auto family = builder.irregular_family("odd", {{5, 0, 2}, {3}, {4, 1}});

    const auto ends = after_collective(builder, family, 6);

    EXPECT_EQ(ends, (std::vector<std::int64_t>{1006, 1005, 1006, 1004, 1005, 1006}));
}

TEST(SendAndRecv, RingPassAddsTheCostOfEveryHop) {
    // Rank 0 starts with 5, each other rank receives, works 10, sends on; a hop costs 3.
    Job job{4};
    const auto send = job.builder.send(job.all, 1, 3);
    const auto recv = job.builder.recv(job.all, -1, 3);
    const auto work = job.builder.kernel(10);
    for (int rank = 0; rank < 4; ++rank) {
        auto ops = job.builder.rank_class(1, "r");
        if (rank == 0) {
            ops.kernel(0, job.builder.kernel(5));
            ops.call(0, send);
            ops.call(0, recv);
        } else {
            ops.call(0, recv);
            ops.kernel(0, work);
            ops.call(0, send);
        }
    }

    const auto results = replay(job.builder.graph());

    // 5 +3 =8 | +10 +3 = 21 | +10 +3 = 34 | +10 +3 = 47, back at rank 0.
    EXPECT_EQ(results.end_ps, (std::vector<std::int64_t>{47, 21, 34, 47}));
}

TEST(SendAndRecv, SymmetricRingOfOneClassShiftsByOne) {
    // All ranks send to the next and receive from the previous one in a batch.
    GraphBuilder builder{4, {"compute"}};
    const auto ring = builder.family("cp", {{4, 1}}, {});
    const auto send = builder.send(ring, 1, 5);
    const auto recv = builder.recv(ring, -1, 5);
    auto ops = builder.rank_class(4, "all");
    ops.kernel(0, builder.kernel(100));
    ops.batch(0, {send, recv});
    engine::Options options;
    options.slow_ranks = {{2, 3.0}};

    const auto together = replay(builder.graph(), options);
    builder.graph().split_classes_by_position = true;
    const auto apart = replay(builder.graph(), options);

    // Rank 2 is ready at 300: its partners 1 and 3 end with it, rank 0 at 105.
    EXPECT_EQ(together.end_ps, (std::vector<std::int64_t>{105, 305, 305, 305}));
    EXPECT_EQ(apart.end_ps, together.end_ps);
}

TEST(SendAndRecv, EagerSendsGoOnAndRendezvousSendsWait) {
    for (const bool eager : {true, false}) {
        Job job{2};
        job.builder.graph().eager_bytes = eager ? 100 : 99;
        const auto send = job.builder.send(job.all, 1, 40, 100);
        const auto recv = job.builder.recv(job.all, -1, 40, 100);
        auto sender = job.builder.rank_class(1, "sender");
        sender.kernel(0, job.builder.kernel(10));
        sender.call(0, send);
        auto receiver = job.builder.rank_class(1, "receiver");
        receiver.kernel(0, job.builder.kernel(500));
        receiver.call(0, recv);

        const auto results = replay(job.builder.graph());

        // Eager: it came at 50, long before it was wanted at 500.
        EXPECT_EQ(results.end_ps, eager ? (std::vector<std::int64_t>{10, 500})
                                        : (std::vector<std::int64_t>{540, 540}));
    }
}

TEST(SendAndRecv, EagerMessageIsWaitedForByAnEarlyReceiver) {
    Job job{2};
    job.builder.graph().eager_bytes = 1000;
    const auto send = job.builder.send(job.all, 1, 40, 100);
    const auto recv = job.builder.recv(job.all, -1, 40, 100);
    auto sender = job.builder.rank_class(1, "sender");
    sender.kernel(0, job.builder.kernel(10));
    sender.call(0, send);
    job.builder.rank_class(1, "receiver").call(0, recv);

    EXPECT_EQ(replay(job.builder.graph()).end_ps, (std::vector<std::int64_t>{10, 50}));
}

TEST(SendAndRecv, MessagesOfAPairMatchInOrderWhateverTheStream) {
    // Two sends on two streams; the receiver takes them on one stream in issue order.
    Job job{2, {"compute", "a", "b"}};
    const auto send = job.builder.send(job.all, 1, 1);
    const auto recv = job.builder.recv(job.all, -1, 1);
    auto sender = job.builder.rank_class(1, "sender");
    sender.kernel(1, job.builder.kernel(900));
    sender.call(1, send);  // issued first, ready last
    sender.call(2, send);
    auto receiver = job.builder.rank_class(1, "receiver");
    receiver.call(0, recv);
    receiver.call(0, recv);

    const auto results = replay(job.builder.graph());

    // First message ends at 901; the second recv is ready then, though its send was ready at 0.
    EXPECT_EQ(results.end_ps, (std::vector<std::int64_t>{902, 902}));
}

TEST(Batch, StartsTogetherAndEndsWithItsLastCall) {
    // Rank 1 swaps with rank 0 and rank 2 in one batch; alone it would hang (recv before send).
    Job job{3};
    const auto work = [&](std::int64_t t) { return job.builder.kernel(t); };
    const auto send_up = job.builder.send(job.all, 1, 10);
    const auto send_down = job.builder.send(job.all, -1, 20);
    const auto recv_down_10 = job.builder.recv(job.all, -1, 10);
    const auto recv_up_20 = job.builder.recv(job.all, 1, 20);
    auto first = job.builder.rank_class(1, "first");
    first.kernel(0, work(100));
    first.batch(0, {send_up, recv_up_20});
    auto middle = job.builder.rank_class(1, "middle");
    middle.kernel(0, work(50));
    middle.batch(0, {recv_down_10, send_down, send_up, recv_up_20});
    auto last = job.builder.rank_class(1, "last");
    last.kernel(0, work(400));
    last.batch(0, {recv_down_10, send_down});

    const auto results = replay(job.builder.graph());

    // 0 <-> 1: ready 100, ends 110 (up) and 120 (down). 1 <-> 2: ready 400, ends 410 and 420.
    EXPECT_EQ(results.end_ps, (std::vector<std::int64_t>{120, 420, 420}));
}

TEST(Batch, MayHoldCollectives) {
    Job job{2};
    const auto cheap = job.builder.collective(job.all, {5});
    const auto dear = job.builder.collective(job.all, {50});
    for (const std::int64_t t : {10, 20}) {
        auto ops = job.builder.rank_class(1, "r");
        ops.kernel(0, job.builder.kernel(t));
        ops.batch(0, {dear, cheap});
    }

    EXPECT_EQ(replay(job.builder.graph()).end_ps, (std::vector<std::int64_t>{70, 70}));
}

TEST(SendAndRecv, CostDependsOnWhetherThePairSharesANode) {
    GraphBuilder builder{4, {"compute"}};
    builder.graph().ranks_per_node = 2;
    // Pairs (0,1) on one node, (2,3) on another, and in a second family (0,2), (1,3).
    const auto near = builder.family("near", {{2, 1}}, {{2, 2}});
    const auto far = builder.family("far", {{2, 2}}, {{2, 1}});
    const auto call = [&](graph::CollectiveKind kind, graph::FamilyIndex f) {
        return builder.pairwise(kind, f, 1, {3, 1000}, 8);
    };
    auto ops = builder.rank_class(4, "all");
    ops.batch(0,
              {call(graph::CollectiveKind::send, near), call(graph::CollectiveKind::recv, near)});
    const auto close = replay(builder.graph());
    ops.batch(0, {call(graph::CollectiveKind::send, far), call(graph::CollectiveKind::recv, far)});

    const auto both = replay(builder.graph());

    EXPECT_EQ(close.end_ps, (std::vector<std::int64_t>{3, 3, 3, 3}));
    EXPECT_EQ(both.end_ps, (std::vector<std::int64_t>{1003, 1003, 1003, 1003}));
}

TEST(Streams, OverlapUntilAnEventJoinsThem) {
    GraphBuilder builder{1, {"compute", "side"}};
    auto ops = builder.rank_class(1, "one");
    ops.kernel(0, builder.kernel(10));
    ops.order(0, 1);
    ops.kernel(1, builder.kernel(100));
    ops.kernel(0, builder.kernel(30));
    ops.order(1, 0);
    ops.kernel(0, builder.kernel(1));

    // Side: 10 to 110; compute: 40, waits until 110, ends at 111.
    EXPECT_EQ(replay(builder.graph()).end_ps, (std::vector<std::int64_t>{111}));
}

TEST(Iterations, ClocksGoOnFromOneToTheNext) {
    Job job{2};
    const auto reduce = job.builder.collective(job.all, {7});
    for (const std::int64_t t : {100, 300}) {
        auto ops = job.builder.rank_class(1, "r");
        ops.kernel(0, job.builder.kernel(t));
        ops.call(0, reduce);
    }

    const auto results = replay(job.builder.graph(), {}, 3);

    EXPECT_EQ(results.end_ps, (std::vector<std::int64_t>{307, 307, 614, 614, 921, 921}));
}

}  // namespace
