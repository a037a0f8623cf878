// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What a native run took becomes a graph.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "graph_builder.hpp"
#include "recorded_costs.hpp"
#include "recording_pace.hpp"

namespace prismllm::emulation {
namespace {

using samples::GraphBuilder;

constexpr std::int64_t ms = 1'000'000'000;

/// Two ranks of one class: a kernel, then an all-reduce on a side stream.
graph::ExecutionGraph reduction() {
    GraphBuilder builder{2, {"compute", "comm"}};
    const auto dp = builder.family("dp", {{2, 1}}, {});
    const auto reduce = builder.collective(dp, {1});
    auto ops = builder.rank_class(2, "r");
    ops.kernel(0, builder.kernel(1));
    ops.order(0, 1);
    ops.call(1, reduce);
    return builder.graph();
}

TEST(RecordedCosts, AreMeansOverRanksAndSteps) {
    const graph::ExecutionGraph graph = reduction();
    ASSERT_EQ(graph.classes[0].ops.size(), 4U);  // kernel, record, wait, call
    RecordedCosts costs{graph};

    // [rank] since when the stream was free, and the end
    const std::vector<std::int64_t> none(4);
    costs.add({{{1000, 0, 0, 1100}, {1100, 0, 0, 1350}, none},
               {{1010, 0, 0, 1310}, {1310, 0, 0, 1360}, none}});
    costs.add({{{2000, 0, 0, 2200}, {2200, 0, 0, 2430}, none},
               {{2000, 0, 0, 2400}, {2400, 0, 0, 2420}, none}});
    graph::ExecutionGraph measured = graph;
    const MeasuredKernels said = costs.give(measured);

    // Kernels: 100, 300, 200, 400. Calls: from when both were ready, at 1310 and at 2400.
    EXPECT_EQ(measured.kernel_costs[0].duration_ps, 250);
    EXPECT_EQ(measured.kernel_costs[0].provenance, graph::Provenance::measured);
    EXPECT_EQ(measured.communication_costs[0][0].duration_ps, (40 + 50 + 30 + 20) / 4);
    EXPECT_EQ(measured.communication_costs[0][0].provenance, graph::Provenance::measured);
    EXPECT_EQ(said.samples, 4);
    // Rank 0 took 300 of 1000, rank 1 the rest.
    EXPECT_EQ(costs.rank_factors(), (std::vector<double>{0.6, 1.4}));
}

TEST(RecordedCosts, OfMessagesBeginWhenBothEndsAreReady) {
    GraphBuilder builder{2, {"compute"}};
    const auto pp = builder.family("pp", {{2, 1}}, {});
    const auto send = builder.send(pp, 1, 1);
    const auto recv = builder.recv(pp, -1, 1);
    builder.rank_class(1, "first").call(0, send);
    builder.rank_class(1, "second").call(0, recv);
    graph::ExecutionGraph graph = builder.graph();
    RecordedCosts late_receiver{graph};
    late_receiver.add({{{100}, {530}, {110}}, {{500}, {540}, {505}}});
    graph::ExecutionGraph measured = graph;
    (void)late_receiver.give(measured);
    EXPECT_EQ(measured.communication_costs[send][0].duration_ps, 30);
    EXPECT_EQ(measured.communication_costs[recv][0].duration_ps, 35);

    // An eager message is under way from when it is sent, and was there before it was wanted.
    graph.eager_bytes = 1 << 20;
    RecordedCosts eager{graph};
    eager.add({{{100}, {105}, {100}}, {{110}, {150}, {90}}});
    measured = graph;
    (void)eager.give(measured);
    EXPECT_EQ(measured.communication_costs[recv][0].duration_ps, 50);
}

/// Plays a list with pauses between its ops.
class Recording : public testing::Test {
protected:
    Recording() : graph_{pipeline()}, ops_{graph_.classes[0].ops}, pace_{graph_, ops_} {}

    /// Stage 0 of two: a kernel, a send on a side stream, another kernel that does not wait for it,
    /// and one that does.
    static graph::ExecutionGraph pipeline() {
        GraphBuilder builder{2, {"compute", "side"}};
        const auto pp = builder.family("pp", {{2, 1}}, {});
        const auto send = builder.send(pp, 1, 1);
        const auto recv = builder.recv(pp, -1, 1);
        const auto kernel = builder.kernel(1);
        auto ops = builder.rank_class(1, "first");
        ops.kernel(0, kernel);
        ops.order(0, 1);
        ops.call(1, send);
        const std::uint32_t sent = ops.record(1);
        ops.kernel(0, kernel);
        ops.wait(0, sent);
        ops.kernel(0, kernel);
        builder.rank_class(1, "second").call(0, recv);
        return builder.graph();
    }

    void play(std::size_t op, int milliseconds) {
        pace_.before(op, ops_[op]);
        std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
        (void)pace_.behind(op, ops_[op]);
    }

    graph::ExecutionGraph graph_;
    const std::vector<graph::Op>& ops_;
    RecordingPace pace_;
};

TEST_F(Recording, FollowsStreamsAndTransfers) {
    enum Place : std::size_t { first, record, wait, send, sent, second, wait_sent, third };
    pace_.begin_step();
    play(first, 5);
    play(record, 0);
    play(wait, 0);
    play(send, 0);
    play(sent, 0);
    play(second, 5);
    play(wait_sent, 10);  // the transfer ends here
    play(third, 5);
    pace_.end_step();

    const auto ready = [&](std::size_t op) { return pace_.times().ready_ps[op]; };
    const auto end = [&](std::size_t op) { return pace_.times().end_ps[op]; };
    EXPECT_GE(end(first) - ready(first), 5 * ms);
    EXPECT_EQ(ready(send), end(first)) << "the side stream waited for the kernel";
    EXPECT_EQ(ready(second), end(first)) << "the compute stream does not wait for the send";
    EXPECT_GE(end(send), end(second) + 10 * ms);
    EXPECT_GE(pace_.times().looked_ps[send], end(second));
    EXPECT_EQ(ready(third), end(send));
    EXPECT_GE(end(third) - ready(third), 5 * ms);
}

}  // namespace
}  // namespace prismllm::emulation
