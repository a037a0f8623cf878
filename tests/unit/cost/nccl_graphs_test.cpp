// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Expected channels: computed by NCCL 2.30.7's own search on hand-written topologies of these
// systems (docs/explanation/cost_model.md).
#include "nccl_graphs.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "machines.hpp"

namespace prismllm::cost {
namespace {

struct System {
    const char* name;
    target::Device device;
    target::Cluster cluster;
    GroupShape shape;
    ChannelGraph ring, tree;
    bool plain_tree;
    ChannelGraph nvls;
    int run_channels;
};

void expect_equal(const ChannelGraph& actual, const ChannelGraph& expected,
                  const std::string& what) {
    EXPECT_EQ(actual.channels, expected.channels) << what;
    EXPECT_DOUBLE_EQ(actual.intra, expected.intra) << what;
    EXPECT_DOUBLE_EQ(actual.inter, expected.inter) << what;
}

class NcclGraphs : public ::testing::TestWithParam<System> {};

TEST_P(NcclGraphs, AreThoseOfTheSearch) {
    const System& s = GetParam();

    const Topology t = topology_of(s.device, s.cluster, s.shape);

    expect_equal(t.ring, s.ring, std::string{s.name} + " ring");
    expect_equal(t.tree, s.tree, std::string{s.name} + " tree");
    expect_equal(t.nvls, s.nvls, std::string{s.name} + " nvls");
    EXPECT_EQ(t.plain_tree, s.plain_tree) << s.name;
    EXPECT_EQ(t.run_channels, s.run_channels) << s.name;
}

target::Cluster rack_of(std::int64_t gpus) {
    auto c = testing::nvl72();
    c.gpus_per_node = c.nics_per_node = gpus;
    return c;
}

using testing::a100;
using testing::b200;
using testing::cluster;
using testing::dgx_a100;
using testing::dgx_b200;
using testing::dgx_h100;
using testing::full_nodes;
using testing::h100;

INSTANTIATE_TEST_SUITE_P(
    Published, NcclGraphs,
    ::testing::Values(
        System{"a100 x1",
               a100(),
               dgx_a100(),
               full_nodes(1),
               {12, 20, 20},
               {12, 20, 20},
               false,
               {},
               24},
        System{
            "a100 x2", a100(), dgx_a100(), full_nodes(2), {8, 24, 24}, {8, 30, 24}, false, {}, 16},
        System{"a100 x64",
               a100(),
               dgx_a100(),
               full_nodes(64),
               {8, 24, 24},
               {8, 30, 24},
               false,
               {},
               16},
        System{"h100 x1",
               h100(),
               dgx_h100(),
               full_nodes(1),
               {12, 30, 30},
               {12, 30, 30},
               false,
               {8, 40, 60},
               24},
        System{"h100 x2",
               h100(),
               dgx_h100(),
               full_nodes(2),
               {8, 48, 48},
               {8, 48, 48},
               true,
               {8, 40, 48},
               16},
        System{"h100 4 nics",
               h100(),
               cluster("intel", 18, 25, 4, 50),
               full_nodes(2),
               {8, 24, 24},
               {8, 48, 24},
               false,
               {4, 48, 48},
               16},
        System{"h800 x1",
               h100(),
               cluster("intel", 8, 25, 8, 50),
               full_nodes(1),
               {8, 20, 20},
               {8, 20, 20},
               false,
               {8, 15, 30},
               16},
        System{"h800 x2",
               h100(),
               cluster("intel", 8, 25, 8, 50),
               full_nodes(2),
               {8, 22, 22},
               {8, 22, 22},
               true,
               {8, 17.5, 40},
               16},
        System{"b200 x1",
               b200(),
               dgx_b200(),
               full_nodes(1),
               {16, 45, 45},
               {16, 45, 45},
               false,
               {8, 80, 90},
               32},
        System{"b200 x2",
               b200(),
               dgx_b200(),
               full_nodes(2),
               {8, 48, 48},
               {8, 96, 48},
               true,
               {8, 48, 48},
               16},
        System{"b300 x2",
               b200(),
               cluster("intel", 18, 50, 8, 100),
               full_nodes(2),
               {16, 48, 48},
               {16, 48, 48},
               true,
               {8, 80, 96},
               32},
        System{"nvl32",
               b200(),
               rack_of(32),
               {32, 1, 32, 1},
               {16, 45, 45},
               {16, 45, 45},
               false,
               {32, 20, 40},
               32},
        System{"nvl72",
               b200(),
               rack_of(72),
               {72, 1, 72, 1},
               {16, 45, 45},
               {16, 45, 45},
               false,
               {32, 20, 40},
               32}));

TEST(NcclGraphs, KeepTheRingOfANodeForPartsOfIt) {
    // every GPU has its own way to the switch: two of them reach what eight reach
    const Topology pair = topology_of(h100(), dgx_h100(), {2, 1, 2, 1});

    expect_equal(pair.ring, {12, 30, 30}, "ring");
    EXPECT_EQ(pair.nvls.channels, 2);  // one a head GPU
}

TEST(NcclGraphs, GiveARankAloneOnItsNodeItsOwnNicOnly) {
    // One GPU of each node: one channel of 48 GB/s, doubled at half the speed.
    const Topology t = topology_of(h100(), dgx_h100(), {64, 64, 1, 8});

    expect_equal(t.ring, {2, 24, 24}, "ring");
    expect_equal(t.tree, {2, 24, 24}, "tree");
    EXPECT_EQ(t.nvls.channels, 0);
    EXPECT_TRUE(t.plain_tree);
}

TEST(NcclGraphs, DoNotPoolTheNicsOfANodeForOneGpu) {
    // four NICs of 50 GB/s near one GPU whose PCIe port carries 48
    auto lone = cluster("intel", 18, 25, 4, 50);
    lone.gpus_per_node = 1;

    const Topology t = topology_of(h100(), lone, {2, 2, 1, 1});

    EXPECT_DOUBLE_EQ(t.ring.channels * t.ring.inter, 48);
}

TEST(NcclGraphs, UseOneNicForEachOfTwoRanksOnANode) {
    const Topology t = topology_of(h100(), dgx_h100(), {128, 64, 2, 4});

    expect_equal(t.ring, {4, 24, 24}, "ring");
}

}  // namespace
}  // namespace prismllm::cost
