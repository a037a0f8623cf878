// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "run_engine.hpp"

namespace {

using namespace prismllm;
using prismllm::samples::failure;
using prismllm::samples::GraphBuilder;
using prismllm::samples::replay;
using ::testing::HasSubstr;

TEST(FalseDeadlock, StreamsThatCrossMayRunOutOfIssueOrder) {
    // Both ranks issue a recv on one stream, then the send the other waits for on another.
    GraphBuilder builder{2, {"compute", "in", "out"}};
    const auto pp = builder.family("pp", {{2, 1}}, {});
    const auto send = builder.send(pp, 1, 10);
    const auto recv = builder.recv(pp, 1, 10);
    for (int rank = 0; rank < 2; ++rank) {
        auto ops = builder.rank_class(1, "r");
        ops.call(1, recv);
        ops.order(1, 0);
        ops.kernel(0, builder.kernel(5));
        ops.call(2, send);
    }

    EXPECT_EQ(replay(builder.graph()).end_ps, (std::vector<std::int64_t>{15, 15}));
}

TEST(FalseDeadlock, EventsThatNobodyAsksForYetDoNotHoldAStreamBack) {
    // The side stream of rank 0 records 100 events before it sends what rank 1 needs in order to
    // let the compute stream of rank 0 wait for those events.
    GraphBuilder builder{2, {"compute", "side"}};
    const auto pp = builder.family("pp", {{2, 1}}, {});
    const auto send = builder.send(pp, 1, 10);
    const auto recv = builder.recv(pp, 1, 10);
    const auto kernel = builder.kernel(1);
    auto first = builder.rank_class(1, "first");
    std::vector<std::uint32_t> events;
    for (int i = 0; i < 100; ++i) {
        first.kernel(1, kernel);
        events.push_back(first.record(1));
        first.call(1, builder.collective(builder.family("self", {{1, 1}}, {{2, 1}}), {0}));
    }
    first.call(1, send);
    first.call(0, recv);
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
        first.wait(0, *event);
    }
    auto second = builder.rank_class(1, "second");
    for (int i = 0; i < 100; ++i) {
        second.call(0, static_cast<std::uint32_t>(i) + 2);
    }
    second.call(0, recv);
    second.call(0, send);

    // 100 + 10 there, 10 back.
    EXPECT_EQ(replay(builder.graph()).end_ps, (std::vector<std::int64_t>{120, 120}));
}

TEST(FalseDeadlock, OneRankMayAwaitEventsInAnyOrder) {
    GraphBuilder builder{1, {"compute", "a", "b"}};
    auto ops = builder.rank_class(1, "one");
    std::vector<std::uint32_t> a, b;
    for (int i = 0; i < 50; ++i) {
        ops.kernel(1, builder.kernel(10));
        a.push_back(ops.record(1));
        ops.wait(2, a.back());
        ops.kernel(2, builder.kernel(1));
        b.push_back(ops.record(2));
    }
    for (std::size_t i = 50; i-- > 0;) {
        ops.wait(0, b[i]);
        ops.wait(0, a[49 - i]);
    }

    EXPECT_EQ(replay(builder.graph()).end_ps, (std::vector<std::int64_t>{501}));
}

/// Case 44: two ranks, each sends first, then receives.
graph::ExecutionGraph both_send_first(std::int64_t eager_bytes) {
    GraphBuilder builder{2, {"compute"}};
    builder.graph().eager_bytes = eager_bytes;
    const auto pp = builder.family("pp", {{2, 1}}, {});
    const auto send = builder.send(pp, 1, 10, 64);
    const auto recv = builder.recv(pp, 1, 10, 64);
    for (int rank = 0; rank < 2; ++rank) {
        auto ops = builder.rank_class(1, "r");
        ops.call(0, send);
        ops.kernel(0, builder.kernel(100));
        ops.call(0, recv);
    }
    return builder.graph();
}

TEST(Deadlock, OfTwoRanksThatSendFirstNamesBoth) {
    const std::string text = failure(both_send_first(63));

    EXPECT_THAT(text, HasSubstr("rank 0, stream 'compute': send number 0 to rank 1 in pp[0]"));
    EXPECT_THAT(text, HasSubstr("rank 1, stream 'compute': send number 0 to rank 0 in pp[0]"));
    EXPECT_THAT(text, HasSubstr("the recv of rank 0 missing"));
}

TEST(Deadlock, IsNoneWhenTheMessagesAreEager) {
    // Each works 100 after its send; the message came at 10.
    EXPECT_EQ(replay(both_send_first(64)).end_ps, (std::vector<std::int64_t>{100, 100}));
}

TEST(Deadlock, OfCollectivesInDifferentOrderNamesCommunicatorAndSequence) {
    GraphBuilder builder{4, {"compute"}};
    const auto tp = builder.family("tp", {{2, 1}}, {{2, 2}});
    const auto world = builder.family("world", {{4, 1}}, {});
    const auto in_tp = builder.collective(tp, {1});
    const auto in_world = builder.collective(world, {1});
    for (const bool swapped : {false, true}) {
        auto ops = builder.rank_class(2, swapped ? "swapped" : "plain");
        ops.call(0, in_tp);
        ops.call(0, swapped ? in_world : in_tp);
        ops.call(0, swapped ? in_tp : in_world);
        ops.call(0, in_world);
    }
    // Ranks 0, 1 do tp tp world world, ranks 2, 3 do tp world tp world: no hang, as tp is apart.
    // World 0 ends at 3; ranks 2, 3 do their second tp until 4, so world 1 ends at 5.
    EXPECT_EQ(replay(builder.graph()).end_ps.front(), 5);

    // A third call in world that only ranks 0 and 1 make.
    graph::ExecutionGraph hanging = builder.graph();
    hanging.classes[0].ops.push_back(hanging.classes[0].ops.back());
    const std::string text = failure(hanging);

    EXPECT_THAT(text, HasSubstr("rank 0 (and 1 more of class 'plain'), stream 'compute': "
                                "all_reduce number 2 in world[0] (op 4): ranks 2, 3 are missing"));
}

TEST(Deadlock, OfAMemberThatNeverCallsIsReported) {
    GraphBuilder builder{2, {"compute"}};
    const auto dp = builder.family("dp", {{2, 1}}, {});
    const auto reduce = builder.collective(dp, {1});
    builder.rank_class(1, "calls").call(0, reduce);
    builder.rank_class(1, "works").kernel(0, builder.kernel(3));

    EXPECT_THAT(failure(builder.graph()), HasSubstr("rank 1 is missing"));
}

TEST(Deadlock, OfASendWithoutAnyReceiverIsReported) {
    GraphBuilder builder{2, {"compute"}};
    const auto pp = builder.family("pp", {{2, 1}}, {});
    builder.rank_class(1, "sends").call(0, builder.send(pp, 1, 1));
    builder.rank_class(1, "works").kernel(0, builder.kernel(3));

    EXPECT_THAT(failure(builder.graph()), HasSubstr("send number 0 to rank 1 in pp[0]"));
}

TEST(Deadlock, ReportIsLimitedToTenStreams) {
    GraphBuilder builder{24, {"compute"}};
    const auto pp = builder.family("pp", {{24, 1}}, {});
    const auto send = builder.send(pp, 1, 1);
    const auto recv = builder.recv(pp, -1, 1);
    for (int rank = 0; rank < 24; ++rank) {
        auto ops = builder.rank_class(1, "r");
        ops.call(0, send);
        ops.call(0, recv);
    }

    EXPECT_THAT(failure(builder.graph()), HasSubstr("and 14 more streams"));
}

TEST(Deadlock, OverSeveralProxiesEndsThemAll) {
    for (const int proxies : {2, 3}) {
        GraphBuilder builder{3, {"compute"}};
        const auto pp = builder.family("pp", {{3, 1}}, {});
        const auto send = builder.send(pp, 1, 10);
        const auto recv = builder.recv(pp, -1, 10);
        for (int rank = 0; rank < 3; ++rank) {
            auto ops = builder.rank_class(1, "r");
            ops.call(0, send);
            ops.call(0, recv);
        }

        const auto outcomes = samples::replay_on(builder.graph(), {0, 1, proxies - 1}, proxies);

        for (const auto& outcome : outcomes) {
            ASSERT_EQ(outcome.iterations.size(), 1U);
            ASSERT_FALSE(outcome.iterations[0]);
            EXPECT_EQ(outcome.iterations[0].error().code, ErrorCode::job_failed);
            EXPECT_THAT(outcome.iterations[0].error().message, HasSubstr("send number 0 to rank"));
        }
    }
}

TEST(Deadlock, OfAProxyWhoseLanesAreDoneStillEndsIt) {
    // Ranks 0 and 1 hang on proxy 1; rank 2 on proxy 0 is done at once.
    GraphBuilder builder{3, {"compute"}};
    const auto pair = builder.irregular_family("pair", {{0, 1}, {2}});
    const auto send = builder.send(pair, 1, 10);
    const auto recv = builder.recv(pair, 1, 10);
    for (int rank = 0; rank < 2; ++rank) {
        auto ops = builder.rank_class(1, "r");
        ops.call(0, send);
        ops.call(0, recv);
    }
    builder.rank_class(1, "done").kernel(0, builder.kernel(1));

    const auto outcomes = samples::replay_on(builder.graph(), {1, 1, 0}, 2);

    ASSERT_FALSE(outcomes[0].iterations[0]);
    EXPECT_THAT(outcomes[0].iterations[0].error().message, HasSubstr("other processes"));
    ASSERT_FALSE(outcomes[1].iterations[0]);
}

TEST(Cancelled, EndsTheIterationOnEveryProxy) {
    samples::PipelineJob job;
    job.pipeline = 4;
    job.micro_batches = 8;
    const auto graph = make_pipeline_job(job);
    engine::Options options;
    options.cancelled = [] { return true; };

    const auto outcomes = samples::replay_on(graph, {0, 1, 0, 1}, 2, options);

    for (const auto& outcome : outcomes) {
        ASSERT_FALSE(outcome.iterations[0]);
        EXPECT_EQ(outcome.iterations[0].error().code, ErrorCode::interrupted);
    }
}

}  // namespace
