// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/placement/topology.hpp"

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

namespace prismllm::placement {
namespace {

/// Two packages with a NUMA node, four cores of two hardware threads each.
Topology two_packages() {
    auto topology = Topology::synthetic("package:2 numanode:1 core:4 pu:2");
    EXPECT_TRUE(topology.has_value());
    return std::move(*topology);
}

std::vector<int> cores_for(const Topology& topology, std::size_t proxies) {
    std::vector<int> cores;
    for (const Seat& seat :
         choose_seats(topology, std::vector<Duty>(proxies, Duty::proxy), Pinning::on)) {
        cores.push_back(seat.core ? seat.core->number : -1);
    }
    return cores;
}

TEST(Topology, DescribesAMachine) {
    const Topology topology = two_packages();

    EXPECT_EQ(topology.describe(), "2 packages, 2 NUMA nodes, 8 cores, 16 hardware threads");
    EXPECT_EQ(topology.cores(), 8);
    EXPECT_EQ(topology.allowed_cores(), 8);
    EXPECT_EQ(topology.allowed(), "0-15");
}

TEST(Topology, RefusesWordsThatHwlocDoesNotKnow) {
    const auto topology = Topology::synthetic("pineapple:3");

    ASSERT_FALSE(topology.has_value());
    EXPECT_EQ(topology.error().code, ErrorCode::bad_input);
}

TEST(Topology, SurvivesTheWayThroughXml) {
    const Topology original = two_packages();

    const auto copy = Topology::from_xml(original.xml());

    ASSERT_TRUE(copy.has_value());
    EXPECT_EQ(copy->describe(), original.describe());
    EXPECT_EQ(copy->allowed_core_list(), original.allowed_core_list());
}

TEST(Topology, RefusesForeignXml) {
    EXPECT_FALSE(Topology::from_xml("<html></html>").has_value());
    EXPECT_FALSE(Topology::from_xml("").has_value());
}

TEST(Topology, NamesCoresByTheirSurroundings) {
    const std::vector<Core> cores = two_packages().allowed_core_list();

    // Core 5 is the second of package 1; hwloc numbers synthetic threads in order.
    ASSERT_EQ(cores.size(), 8U);
    EXPECT_EQ(cores[5], (Core{5, 1, 1, "10-11"}));
}

TEST(Topology, UsesAllowedThreadsOnly) {
    // Threads 6 to 9 are core 3 and core 4, thread 15 is half of core 7.
    Topology topology = two_packages();

    ASSERT_TRUE(topology.allow_only("6-9,15").has_value());

    EXPECT_EQ(topology.cores(), 8);
    EXPECT_EQ(topology.allowed_cores(), 3);
    EXPECT_EQ(cores_for(topology, 3), (std::vector<int>{3, 4, 7}));
    EXPECT_EQ(topology.allowed_core_list()[2].pus, "15");
    EXPECT_EQ(cores_for(topology, 4), (std::vector<int>{-1, -1, -1, -1}));
}

TEST(Topology, RefusesThreadListsThatNameNothing) {
    Topology topology = two_packages();

    EXPECT_FALSE(topology.allow_only("99").has_value());
    EXPECT_FALSE(topology.allow_only("first").has_value());
    EXPECT_EQ(topology.allowed(), "0-15");
}

TEST(Topology, LooksAtThisMachine) {
    const Topology topology = Topology::live();

    EXPECT_GE(topology.cores(), topology.allowed_cores());
    EXPECT_GE(topology.allowed_cores(), 1);
}

TEST(PinningWanted, IsOffOnlyForNone) {
    unsetenv("PRISMLLM_BIND");
    EXPECT_EQ(pinning_wanted(), Pinning::on);
    setenv("PRISMLLM_BIND", "none", 1);
    EXPECT_EQ(pinning_wanted(), Pinning::off);
    unsetenv("PRISMLLM_BIND");
}

TEST(LauncherWarning, SpeaksWhenTheLauncherHasBoundUs) {
    Topology topology = two_packages();

    EXPECT_EQ(launcher_warning(topology, 4), "");
    ASSERT_TRUE(topology.allow_only("0-1").has_value());
    EXPECT_EQ(launcher_warning(topology, 4),
              "the launcher lets 4 processes of a node use 1 of 8 cores (it has bound them). Start "
              "them with --bind-to none (mpirun) or --cpu-bind=none (srun): prismllm places its "
              "processes itself.");
}

}  // namespace
}  // namespace prismllm::placement
