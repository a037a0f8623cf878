// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Who sits where on a machine, synthetic and recorded.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/base/text_file.hpp"
#include "prismllm/placement/topology.hpp"

namespace prismllm::placement {
namespace {

constexpr Duty real = Duty::real_rank;
constexpr Duty proxy = Duty::proxy;

/// Two packages with a NUMA node, four cores of two hardware threads each.
Topology two_nodes() {
    return Topology::synthetic("package:2 numanode:1 core:4 pu:2").value();
}

Topology recorded(const std::string& name) {
    const auto xml = read_text_file(PRISMLLM_SOURCE_DIR "/tests/data/machines/" + name + ".xml");
    EXPECT_TRUE(xml.has_value());
    auto topology = Topology::from_xml(*xml);
    EXPECT_TRUE(topology.has_value()) << topology.error().message;
    return std::move(*topology);
}

std::vector<int> cores_of(const Topology& topology, const std::vector<Duty>& duties) {
    std::vector<int> cores;
    for (const Seat& seat : choose_seats(topology, duties, Pinning::on)) {
        cores.push_back(seat.core ? seat.core->number : -1);
    }
    return cores;
}

std::string text_of(const Topology& topology, const std::vector<Duty>& duties, Pinning pinning) {
    return choose_seats(topology, duties, pinning).front().text;
}

TEST(Seats, OfProxiesAreSpreadEvenly) {
    const Topology topology = two_nodes();

    EXPECT_EQ(cores_of(topology, std::vector<Duty>(2, proxy)), (std::vector<int>{0, 4}));
    EXPECT_EQ(cores_of(topology, std::vector<Duty>(4, proxy)), (std::vector<int>{0, 2, 4, 6}));
    EXPECT_EQ(cores_of(topology, std::vector<Duty>(8, proxy)),
              (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Seats, OfRealRanksAreChosenFirst) {
    const Topology topology = two_nodes();

    // Real ranks on one NUMA node after the other; proxies share what is left: 1 2 3 5 6 7.
    EXPECT_EQ(cores_of(topology, {proxy, proxy, real, real}), (std::vector<int>{1, 5, 0, 4}));
    EXPECT_EQ(cores_of(topology, {real, real, real, proxy}), (std::vector<int>{0, 4, 1, 2}));
}

TEST(Seats, AreElsewhereWhereANodeIsFull) {
    Topology topology = two_nodes();
    ASSERT_TRUE(topology.allow_only("6-9,10,12,14").has_value());  // one core of node 0

    // Nodes 0, 1, 0, 1: the third finds node 0 used up.
    EXPECT_EQ(cores_of(topology, {real, real, real, real}), (std::vector<int>{3, 4, 5, 6}));
}

TEST(Seats, SayWhichCoreOrWhyNone) {
    const Topology topology = two_nodes();

    EXPECT_EQ(choose_seats(topology, {proxy, proxy}, Pinning::on)[1].text,
              "core 4 (package 1, NUMA node 1)");
    EXPECT_EQ(text_of(topology, std::vector<Duty>(9, proxy), Pinning::on),
              "not pinned (9 processes share 8 cores)");
    EXPECT_EQ(text_of(topology, {proxy}, Pinning::on), "not pinned (alone on its node)");
    EXPECT_EQ(text_of(topology, {real, proxy}, Pinning::off), "not pinned (PRISMLLM_BIND=none)");
    EXPECT_EQ(choose_seats(topology, {real, proxy}, Pinning::off)[0].core, std::nullopt);
}

TEST(Gpus, OfARecordedDgx2) {
    const Topology dgx2 = recorded("nvidiaDGX2");

    const std::vector<Gpu> gpus = dgx2.gpus();

    EXPECT_EQ(dgx2.describe(), "2 packages, 2 NUMA nodes, 4 cores, 4 hardware threads, 16 GPUs");
    ASSERT_EQ(gpus.size(), 16U);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        EXPECT_EQ(gpus[i].number, static_cast<int>(i));
        EXPECT_EQ(gpus[i].numa, i < 8 ? 0 : 1) << gpus[i].name;
    }
}

TEST(Gpus, HaveRealRanksBesideThem) {
    // Two P100 on each of two NUMA nodes, which hwloc numbers 0 and 1 (0 and 1 of the system).
    const Topology power8 = recorded("power8gpudistances");
    ASSERT_EQ(power8.gpus().size(), 4U);
    const std::vector<Core> cores = power8.allowed_core_list();

    const std::vector<Duty> duties{proxy, real, real, real, real, proxy};
    ASSERT_LE(duties.size(), cores.size());
    const std::vector<Seat> seats = choose_seats(power8, duties, Pinning::on);

    for (int k = 0; k < 4; ++k) {
        const Seat& seat = seats[static_cast<std::size_t>(k) + 1];
        EXPECT_EQ(seat.gpu, k);
        ASSERT_TRUE(seat.core);
        EXPECT_EQ(seat.core->numa, power8.gpus()[static_cast<std::size_t>(k)].numa);
        EXPECT_TRUE(seat.text.ends_with("near GPU " + std::to_string(k))) << seat.text;
    }
    EXPECT_EQ(seats[0].gpu, std::nullopt);
    std::vector<int> taken;
    for (const Seat& seat : seats) {
        taken.push_back(seat.core->number);
    }
    std::ranges::sort(taken);
    EXPECT_TRUE(std::ranges::adjacent_find(taken) == taken.end()) << "a core was given twice";
}

}  // namespace
}  // namespace prismllm::placement
