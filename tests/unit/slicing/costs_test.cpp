// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/slicing/costs.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "sketch.hpp"

namespace prismllm::slicing {
namespace {

target::Device h100() {
    target::Device device;
    device.name = "H100";
    device.architecture = "hopper";
    device.sm_count = 132;
    device.bf16_flops = 989.4e12;
    device.fp16_flops = 989.4e12;
    device.fp32_flops = 66.9e12;
    device.fp8_flops = 1978.9e12;
    device.memory_bytes = 80'000'000'000;
    device.memory_bandwidth = 3.35e12;
    return device;
}

target::Cluster dgx() {
    target::Cluster cluster;
    cluster.gpus_per_node = 8;
    cluster.nvlink_links = 18;
    cluster.scale_up_bandwidth = 450e9;
    cluster.nics_per_node = 8;
    cluster.nic_bandwidth = 50e9;
    return cluster;
}

/// tp 4 x dp 4 x pp 2 on nodes of 8 ranks: tp groups lie inside a node, dp groups span two nodes,
/// pp pairs lie 16 ranks apart. `odd` pairs one rank with a neighbor and one across nodes.
graph::ExecutionGraph meshed() {
    Sketch sketch;
    const auto tp = sketch.family("tp", {{4, 1}}, {{8, 4}});
    const auto dp = sketch.family("dp", {{4, 4}}, {{4, 1}, {2, 16}});
    const auto pp = sketch.family("pp", {{2, 16}}, {{16, 1}});
    const auto odd = sketch.listed_family("odd", {0, 2, 4, 6}, {0, 1, 8, 9, 2, 31});
    Script script = sketch.script();
    script.kernel().all_reduce(tp, 1 << 20).all_reduce(dp, 1 << 20);
    script.begin().send(pp, 1, 1 << 20).recv(pp, 1, 1 << 20).end();
    sketch.ranks(32, script);
    graph::ExecutionGraph graph = std::move(sketch).graph();
    graph.communications.push_back(
        Script::collective(graph::CollectiveKind::all_reduce, odd, 1 << 20));
    return graph;
}

TEST(AttachCosts, GivesEveryDescriptionACostAndKeepsTheGraphConsistent) {
    graph::ExecutionGraph graph = meshed();

    attach_costs(graph, cost::DeviceModel{h100()}, cost::CollectiveModel{h100(), dgx()});

    EXPECT_EQ(graph.kernel_costs.size(), graph.kernels.size());
    EXPECT_EQ(graph.communication_costs.size(), graph.communications.size());
    const Status status = graph::check_consistent(graph);
    EXPECT_TRUE(status.has_value()) << status.error().message;
}

TEST(AttachCosts, SharesOneNumberAmongGroupsOfOneShape) {
    graph::ExecutionGraph graph = meshed();

    attach_costs(graph, cost::DeviceModel{h100()}, cost::CollectiveModel{h100(), dgx()});

    const std::vector<std::uint16_t> same_tp(8, 0);
    const std::vector<std::uint16_t> same_dp(8, 0);
    EXPECT_EQ(graph.group_shape[0], same_tp);
    EXPECT_EQ(graph.group_shape[1], same_dp);
    EXPECT_EQ(graph.communication_costs[0].size(), 1U);  // all_reduce in tp
    // Groups 0 and 1 of `odd` lie inside a node; on node 0 group 2 lies beside group 0, on node 1
    // group 1 is alone.
    const std::vector<std::uint16_t> three_shapes = {0, 1, 2};
    EXPECT_EQ(graph.group_shape[3], three_shapes);
}

TEST(AttachCosts, PricesMessagesWithinAndBetweenNodes) {
    graph::ExecutionGraph graph = meshed();
    const cost::CollectiveModel network{h100(), dgx()};

    attach_costs(graph, cost::DeviceModel{h100()}, network);

    const auto send = static_cast<std::size_t>(
        std::find_if(graph.communications.begin(), graph.communications.end(),
                     [](const auto& c) { return c.kind == graph::CollectiveKind::send; }) -
        graph.communications.begin());
    ASSERT_EQ(graph.communication_costs[send].size(), 2U);
    EXPECT_EQ(graph.communication_costs[send][0], network.point_to_point(2 << 20, true));
    EXPECT_EQ(graph.communication_costs[send][1], network.point_to_point(2 << 20, false));
    EXPECT_LT(graph.communication_costs[send][0].duration_ps,
              graph.communication_costs[send][1].duration_ps);
}

TEST(AttachCosts, CanBeRepeated) {
    graph::ExecutionGraph graph = meshed();
    const cost::DeviceModel device{h100()};
    const cost::CollectiveModel network{h100(), dgx()};
    attach_costs(graph, device, network);
    const graph::ExecutionGraph once = graph;

    attach_costs(graph, device, network);

    EXPECT_EQ(graph, once);
}

TEST(AttachCosts, FindsTheShapesOfAHundredThousandRanksInUnderTwoSeconds) {
    Sketch sketch;
    const auto tp = sketch.family("tp", {{8, 1}}, {{16384, 8}});
    const auto cp = sketch.family("cp", {{1, 8}}, {{131072, 1}});
    const auto dp = sketch.family("dp", {{1024, 8}}, {{8, 1}, {16, 8192}});
    const auto pp = sketch.family("pp", {{16, 8192}}, {{8192, 1}});
    const auto world = sketch.family("world", {{131072, 1}});
    Script script = sketch.script();
    for (const auto family : {tp, cp, dp, pp, world}) {
        script.all_reduce(family, 1 << 20);
    }
    sketch.ranks(131072, script);
    graph::ExecutionGraph graph = std::move(sketch).graph();
    const auto start = std::chrono::steady_clock::now();

    attach_costs(graph, cost::DeviceModel{h100()}, cost::CollectiveModel{h100(), dgx()});

    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    RecordProperty("seconds", std::to_string(wall.count()));
    EXPECT_LT(wall.count(), 2.0);
    for (const auto family : {tp, cp, dp, pp, world}) {
        EXPECT_EQ(graph.communication_costs[family].size(), 1U) << family;
    }
}

}  // namespace
}  // namespace prismllm::slicing
