// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Cost of the proof follows classes, not ranks. Bounds are about ten times what one core of a
// 2024 server needs, so that a busy machine does not fail them.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "prismllm/slicing/stitch.hpp"

#include "sketch.hpp"

namespace prismllm::slicing {
namespace {

constexpr std::int64_t tensor = 8;
constexpr std::int64_t stages = 16;

/// 1F1B with tensor-parallel collectives on a stream of their own: the shape of Llama 3.1 405B on
/// TP8 PP16, 8 layers a stage, 32 micro-batches, one class a stage.
graph::ExecutionGraph large_job(std::int64_t replicas) {
    Sketch sketch;
    const auto tp = sketch.family("tp", {{tensor, 1}}, {{replicas * stages, tensor}});
    const auto dp =
        sketch.family("dp", {{replicas, tensor}}, {{tensor, 1}, {stages, tensor * replicas}});
    const auto pp = sketch.family("pp", {{stages, tensor * replicas}}, {{tensor * replicas, 1}});
    const auto world = sketch.family("world", {{tensor * replicas * stages, 1}});
    constexpr int micro_batches = 32;
    for (std::int64_t stage = 0; stage < stages; ++stage) {
        Script script = sketch.script();
        script.micro_batch(static_cast<std::int16_t>(stage), graph::Phase::other);
        std::uint32_t event = 0;
        const auto work = [&](int calls) {
            for (int i = 0; i < calls; ++i) {
                script.on(0).kernel().kernel().record(event).on(1).wait(event).all_gather(tp, 64);
                script.record(event + 1).on(0).wait(event + 1).kernel();
                event += 2;
            }
        };
        const auto pass = [&](bool forward) {
            const std::int32_t on = forward ? 1 : -1;
            script.on(2);
            if (forward ? stage > 0 : stage + 1 < stages) {
                script.recv(pp, -on).record(event).on(0).wait(event);
                ++event;
            }
            work(forward ? 8 * 4 : 8 * 6);
            if (forward ? stage + 1 < stages : stage > 0) {
                script.on(0).record(event).on(2).wait(event).begin().send(pp, on).end();
                ++event;
            }
        };
        const auto warm_up = static_cast<int>(stages - 1 - stage);
        for (int m = 0; m < micro_batches + warm_up; ++m) {
            if (m < micro_batches) {
                pass(true);
            }
            if (m >= warm_up) {
                pass(false);
            }
        }
        script.on(0).all_reduce(dp, 4096).all_reduce(world, 1);
        sketch.ranks(tensor * replicas, script);
    }
    graph::ExecutionGraph graph = std::move(sketch).graph();
    // Sends and receives of opposite directions are not joined here, so sends must not block.
    graph.eager_bytes = 4000;
    return graph;
}

double seconds_to_prove(const graph::ExecutionGraph& graph) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(prove(graph).has_value());
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    return wall.count();
}

TEST(Scale, ProvesEightThousandRanksInUnderOneAndAHalfSeconds) {
    const graph::ExecutionGraph graph = large_job(64);
    ASSERT_EQ(graph.world_size, 8192);
    ASSERT_EQ(graph.classes.size(), 16U);

    const double seconds = seconds_to_prove(graph);

    RecordProperty("ops_a_class", static_cast<int>(graph.classes[0].ops.size()));
    RecordProperty("seconds", std::to_string(seconds));
    EXPECT_LT(seconds, 1.5);
}

TEST(Scale, ProvesAHundredThousandRanksInUnderThreeSeconds) {
    const graph::ExecutionGraph graph = large_job(1024);
    ASSERT_EQ(graph.world_size, 131072);

    const double seconds = seconds_to_prove(graph);

    RecordProperty("seconds", std::to_string(seconds));
    EXPECT_LT(seconds, 3.0);
}

TEST(Scale, ChecksAHundredThousandRanksInUnderTwoSeconds) {
    const graph::ExecutionGraph graph = large_job(1024);
    const auto start = std::chrono::steady_clock::now();

    const Status status = graph::check_consistent(graph);

    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    EXPECT_TRUE(status.has_value());
    RecordProperty("seconds", std::to_string(wall.count()));
    EXPECT_LT(wall.count(), 2.0);
}

}  // namespace
}  // namespace prismllm::slicing
