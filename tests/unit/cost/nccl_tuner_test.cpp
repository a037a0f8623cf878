// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Expected latencies (us) and algorithm bandwidths (GB/s): NCCL 2.30.7's own tuner, run on
// hand-written topologies of these systems (docs/explanation/cost_model.md).
#include "nccl_tuner.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "machines.hpp"

namespace prismllm::cost {
namespace {

using enum graph::CollectiveKind;
using testing::a100;
using testing::b200;
using testing::dgx_a100;
using testing::dgx_b200;
using testing::dgx_h100;
using testing::full_nodes;
using testing::h100;

struct Published {
    graph::CollectiveKind kind;
    Algorithm algorithm;
    Protocol protocol;
    double latency_us, bandwidth;
};

constexpr auto tree = Algorithm::tree;
constexpr auto ring = Algorithm::ring;
constexpr auto nvls = Algorithm::nvls;
constexpr auto nvls_tree = Algorithm::nvls_tree;
constexpr auto ll = Protocol::ll;
constexpr auto ll128 = Protocol::ll128;
constexpr auto simple = Protocol::simple;

void expect_rows(const Topology& t, const std::vector<Published>& rows) {
    for (const Published& expected : rows) {
        const std::string what = std::string{graph::name_of(expected.kind)} + " " +
                                 std::string{name_of(expected.algorithm)} + " " +
                                 std::string{name_of(expected.protocol)};
        const auto row = tuner_row(expected.kind, expected.algorithm, expected.protocol, t);
        ASSERT_TRUE(row.has_value()) << what;
        // the table is rounded to one decimal, its largest entries to whole numbers
        EXPECT_NEAR(row->latency_us, expected.latency_us, expected.latency_us > 600 ? 0.6 : 0.051)
            << what;
        EXPECT_NEAR(row->bandwidth, expected.bandwidth, 0.06) << what;
    }
}

TEST(NcclTuner, MatchesOneA100Node) {
    expect_rows(topology_of(a100(), dgx_a100(), full_nodes(1)),
                {{all_reduce, tree, ll, 15.2, 29.1},
                 {all_reduce, tree, ll128, 31.5, 85.9},
                 {all_reduce, tree, simple, 64.4, 110.4},
                 {all_reduce, ring, ll, 15.0, 50.1},
                 {all_reduce, ring, ll128, 40.6, 126.2},
                 {all_reduce, ring, simple, 56.0, 137.1},
                 {all_gather, ring, ll, 10.8, 100.2},
                 {all_gather, ring, ll128, 27.3, 252.3},
                 {all_gather, ring, simple, 32.2, 274.3}});
}

TEST(NcclTuner, MatchesSeveralA100Nodes) {
    expect_rows(topology_of(a100(), dgx_a100(), full_nodes(2)),
                {{all_reduce, tree, ll, 25.2, 11.2},
                 {all_reduce, tree, ll128, 48.5, 80.0},
                 {all_reduce, tree, simple, 92.4, 94.4},
                 {all_reduce, ring, ll, 68.0, 12.0},
                 {all_reduce, ring, ll128, 78.0, 85.3},
                 {all_reduce, ring, simple, 204.4, 102.4},
                 {reduce_scatter, ring, ll, 37.3, 24.0},
                 {reduce_scatter, ring, ll128, 46.0, 170.7},
                 {reduce_scatter, ring, simple, 106.4, 204.8}});
    expect_rows(topology_of(a100(), dgx_a100(), full_nodes(4)),
                {{all_reduce, tree, ll, 35.2, 9.5},
                 {all_reduce, tree, ll128, 65.5, 66.8},
                 {all_reduce, tree, simple, 120.4, 71.2},
                 {all_reduce, ring, ll, 134.8, 9.8},
                 {all_reduce, ring, ll128, 150, 82.6},
                 {all_reduce, ring, simple, 428.4, 99.1},
                 {all_gather, ring, ll, 70.7, 19.6},
                 {all_gather, ring, ll128, 82.0, 165.2},
                 {all_gather, ring, simple, 218.4, 198.2}});
    expect_rows(topology_of(a100(), dgx_a100(), full_nodes(64)),
                {{all_reduce, tree, ll, 75.2, 9.5},
                 {all_reduce, tree, ll128, 133.5, 66.8},
                 {all_reduce, tree, simple, 232.4, 71.2},
                 {all_reduce, ring, ll, 2139, 9.5},
                 {all_reduce, ring, ll128, 2310, 80.2},
                 {all_reduce, ring, simple, 7148, 96.2},
                 {all_gather, ring, ll, 1073, 19.0},
                 {all_gather, ring, ll128, 1162, 160.3},
                 {all_gather, ring, simple, 3578, 192.4}});
}

TEST(NcclTuner, MatchesOneH100Node) {
    expect_rows(topology_of(h100(), dgx_h100(), full_nodes(1)),
                {{all_reduce, tree, ll, 15.2, 43.6},
                 {all_reduce, tree, ll128, 31.5, 128.8},
                 {all_reduce, tree, simple, 64.4, 165.6},
                 {all_reduce, ring, ll, 15.0, 80.6},
                 {all_reduce, ring, ll128, 40.6, 189.3},
                 {all_reduce, ring, simple, 56.0, 205.7},
                 {all_reduce, nvls, simple, 25.0, 272.0},
                 {all_gather, ring, ll, 10.8, 161.1},
                 {all_gather, ring, ll128, 27.3, 378.5},
                 {all_gather, ring, simple, 32.2, 411.4},
                 {all_gather, nvls, simple, 25.0, 208.2}});
}

TEST(NcclTuner, MatchesSeveralH100Nodes) {
    expect_rows(topology_of(h100(), dgx_h100(), full_nodes(2)),
                {{all_reduce, tree, ll, 25.2, 16.6},
                 {all_reduce, tree, ll128, 48.5, 124.8},
                 {all_reduce, tree, simple, 92.4, 140.8},
                 {all_reduce, ring, ll, 40.0, 20.8},
                 {all_reduce, ring, ll128, 75.2, 156.6},
                 {all_reduce, ring, simple, 131.6, 204.8},
                 {all_reduce, nvls_tree, simple, 66.8, 246.2},
                 {all_gather, ring, ll, 23.3, 41.6},
                 {all_gather, ring, ll128, 44.6, 313.2},
                 {all_gather, ring, simple, 70.0, 409.6}});
    expect_rows(topology_of(h100(), dgx_h100(), full_nodes(4)),
                {{all_reduce, tree, ll, 35.2, 8.7},
                 {all_reduce, tree, ll128, 65.5, 98.6},
                 {all_reduce, tree, simple, 120.4, 122.4},
                 {all_reduce, ring, ll, 78.8, 10.5},
                 {all_reduce, ring, ll128, 144.4, 151.5},
                 {all_reduce, ring, simple, 282.8, 198.2},
                 {all_reduce, nvls_tree, simple, 108.6, 187.9},
                 {all_gather, ring, ll, 42.7, 21.1},
                 {all_gather, ring, ll128, 79.2, 303.1},
                 {all_gather, ring, simple, 145.6, 396.4}});
    expect_rows(topology_of(h100(), dgx_h100(), full_nodes(64)),
                {{all_reduce, tree, ll, 75.2, 8.7},
                 {all_reduce, tree, ll128, 133.5, 98.6},
                 {all_reduce, tree, simple, 232.4, 122.4},
                 {all_reduce, ring, ll, 1243, 10.2},
                 {all_reduce, ring, ll128, 2220, 147.1},
                 {all_reduce, ring, simple, 4819, 192.4},
                 {all_reduce, nvls_tree, simple, 275.8, 182.4},
                 {reduce_scatter, ring, ll, 625, 20.4},
                 {reduce_scatter, ring, ll128, 1117, 294.2},
                 {reduce_scatter, ring, simple, 2414, 384.8}});
}

TEST(NcclTuner, MatchesB200Nodes) {
    expect_rows(topology_of(b200(), dgx_b200(), full_nodes(1)),
                {{all_reduce, tree, ll, 15.2, 87.2},
                 {all_reduce, tree, ll128, 31.5, 257.6},
                 {all_reduce, tree, simple, 64.4, 331.2},
                 {all_reduce, ring, ll, 15.0, 161.1},
                 {all_reduce, ring, ll128, 40.6, 365.7},
                 {all_reduce, ring, simple, 56.0, 411.4},
                 {all_reduce, nvls, simple, 25.0, 411.4},
                 {all_gather, ring, ll, 10.8, 322.3},
                 {all_gather, ring, ll128, 27.3, 731.4},
                 {all_gather, ring, simple, 32.2, 822.9}});
    expect_rows(topology_of(b200(), dgx_b200(), full_nodes(2)),
                {{all_reduce, tree, ll, 25.2, 16.6},
                 {all_reduce, tree, ll128, 48.5, 107.7},
                 {all_reduce, tree, simple, 92.4, 145.5},
                 {all_reduce, ring, ll, 40.0, 20.8},
                 {all_reduce, ring, ll128, 75.2, 170.7},
                 {all_reduce, ring, simple, 131.6, 204.8},
                 {all_reduce, nvls_tree, simple, 66.8, 265.2},
                 {all_gather, ring, ll, 23.3, 41.6},
                 {all_gather, ring, ll128, 44.6, 341.3},
                 {all_gather, ring, simple, 70.0, 409.6}});
    expect_rows(topology_of(b200(), dgx_b200(), full_nodes(64)),
                {{all_reduce, tree, ll, 75.2, 8.7},
                 {all_reduce, tree, ll128, 133.5, 68.0},
                 {all_reduce, tree, simple, 232.4, 81.6},
                 {all_reduce, ring, ll, 1243, 10.2},
                 {all_reduce, ring, ll128, 2220, 160.3},
                 {all_reduce, ring, simple, 4819, 192.4},
                 {all_reduce, nvls_tree, simple, 275.8, 192.4},
                 {all_gather, ring, ll, 625, 20.4},
                 {all_gather, ring, ll128, 1117, 320.6},
                 {all_gather, ring, simple, 2414, 384.8}});
}

TEST(NcclTuner, MatchesARackOf72) {
    expect_rows(topology_of(b200(), testing::nvl72(), {72, 1, 72, 1}),
                {{all_reduce, tree, ll, 92.0, 87.2},
                 {all_reduce, tree, ll128, 191.5, 257.6},
                 {all_reduce, tree, simple, 576.4, 331.2},
                 {all_reduce, ring, ll, 91.8, 143.0},
                 {all_reduce, ring, ll128, 283.8, 324.5},
                 {all_reduce, ring, simple, 491.2, 365.1},
                 {all_reduce, nvls, simple, 25.0, 465.3},
                 {all_gather, ring, ll, 49.2, 286.0},
                 {all_gather, ring, ll128, 148.9, 649.0},
                 {all_gather, ring, simple, 249.8, 730.1},
                 {all_gather, nvls, simple, 25.0, 452.4}});
}

TEST(NcclTuner, OffersPatToOneRankANodeOnly) {
    const auto lone = topology_of(h100(), dgx_h100(), {64, 64, 1, 8});
    const auto full = topology_of(h100(), dgx_h100(), full_nodes(64));

    EXPECT_FALSE(tuner_row(all_gather, Algorithm::pat, simple, full).has_value());
    EXPECT_FALSE(tuner_row(all_reduce, Algorithm::pat, simple, lone).has_value());
    const auto row = tuner_row(all_gather, Algorithm::pat, simple, lone);
    ASSERT_TRUE(row.has_value());
    // 8 + log2(64) * 14 / 3.5 + 2.8 * 64; 0.75 * 2 channels * 24 GB/s
    EXPECT_NEAR(row->latency_us, 211.2, 1e-9);
    EXPECT_NEAR(row->bandwidth, 36, 1e-9);
}

TEST(NcclTuner, UsesTreeLatenciesInRingsOfOneRankANode) {
    const auto lone = topology_of(h100(), dgx_h100(), {64, 64, 1, 8});

    const auto row = tuner_row(all_gather, ring, ll, lone);

    ASSERT_TRUE(row.has_value());
    EXPECT_NEAR(row->latency_us, 6.6 + 63 * 5.0, 1e-9);
}

TEST(NcclTuner, OffersNvlsInsideANodeAndNvlsTreeBetweenNodes) {
    const auto one = topology_of(h100(), dgx_h100(), full_nodes(1));
    const auto two = topology_of(h100(), dgx_h100(), full_nodes(2));
    const auto ampere = topology_of(a100(), dgx_a100(), full_nodes(1));

    EXPECT_FALSE(tuner_row(all_reduce, nvls_tree, simple, one).has_value());
    EXPECT_FALSE(tuner_row(all_reduce, nvls, simple, two).has_value());
    EXPECT_FALSE(tuner_row(all_reduce, nvls, simple, ampere).has_value());
    EXPECT_FALSE(tuner_row(broadcast, nvls, simple, one).has_value());
    EXPECT_FALSE(tuner_row(all_reduce, nvls, ll, one).has_value());
    EXPECT_FALSE(tuner_row(all_gather, tree, simple, one).has_value());
}

TEST(NcclTuner, KnowsWhatTheSwitchCanReduce) {
    using graph::DType;
    using graph::ReduceOp;

    EXPECT_TRUE(nvls_reduces(DType::bf16, ReduceOp::sum));
    EXPECT_TRUE(nvls_reduces(DType::bf16, ReduceOp::max));
    EXPECT_TRUE(nvls_reduces(DType::fp32, ReduceOp::sum));
    EXPECT_FALSE(nvls_reduces(DType::fp32, ReduceOp::max));
    EXPECT_FALSE(nvls_reduces(DType::bf16, ReduceOp::avg));
    EXPECT_FALSE(nvls_reduces(DType::fp8, ReduceOp::sum));
}

TEST(NcclTuner, LosesLl128WithoutNvlink) {
    auto pcie = dgx_h100();
    pcie.nvlink_links = 0;
    pcie.scale_up_bandwidth = 64e9;
    const auto t = topology_of(h100(), pcie, full_nodes(1));

    EXPECT_FALSE(tuner_row(all_reduce, ring, ll128, t).has_value());
    EXPECT_TRUE(tuner_row(all_reduce, ring, simple, t).has_value());
}

}  // namespace
}  // namespace prismllm::cost
