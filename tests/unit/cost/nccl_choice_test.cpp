// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Worked examples of NCCL 2.30.7's choice, each re-computed by hand from the formulas of
// docs/explanation/cost_model.md.
#include <gtest/gtest.h>

#include "prismllm/cost/collective_model.hpp"

#include "machines.hpp"

namespace prismllm::cost {
namespace {

using graph::CollectiveKind;
using graph::DType;
using graph::ReduceOp;

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::int64_t gib = 1024 * mib;

struct Chooser {
    GroupShape shape;
    CollectiveModel model{testing::h100(), testing::dgx_h100()};

    [[nodiscard]] Choice all_reduce(std::int64_t bytes) const {
        return model.choose(CollectiveKind::all_reduce, DType::bf16, ReduceOp::sum, bytes, shape);
    }
    [[nodiscard]] Choice all_gather(std::int64_t bytes) const {
        return model.choose(CollectiveKind::all_gather, DType::bf16, ReduceOp::none, bytes, shape);
    }
};

void expect_choice(const Choice& choice, Algorithm algorithm, Protocol protocol) {
    EXPECT_EQ(name_of(choice.algorithm), name_of(algorithm));
    EXPECT_EQ(name_of(choice.protocol), name_of(protocol));
}

TEST(NcclChoice, OneNodeIsRingLlForSmallMessages) {
    const Chooser eight{testing::full_nodes(1)};

    // 6.6 + 14 * 0.6 = 15.0 us against 6.8 + 2 * 7 * 0.6 = 15.2 (tree) and 25 (NVLS)
    const Choice small = eight.all_reduce(kib);
    expect_choice(small, Algorithm::ring, Protocol::ll);
    EXPECT_NEAR(small.nccl_time_us, 15.0, 0.05);

    // min(141, 12 * 30 / 2) * 8 / 14 = 80.6 GB/s: 15.0 + 13.0 us against 25 + 3.9 (NVLS)
    const Choice medium = eight.all_reduce(mib);
    expect_choice(medium, Algorithm::ring, Protocol::ll);
    EXPECT_NEAR(medium.nccl_time_us, 28.0, 0.05);
    EXPECT_NEAR(medium.latency_us, 15.0, 1e-9);
    EXPECT_NEAR(medium.bandwidth, 80.6, 0.05);
}

TEST(NcclChoice, OneNodeIsNvlsFromTwoMebibytes) {
    const Chooser eight{testing::full_nodes(1)};

    expect_choice(eight.all_reduce(2 * mib), Algorithm::nvls, Protocol::simple);
    // 40 * 0.85 * 7/8 * 2 = 59.5 a head, * 8 * 8/14 = 272 GB/s: 25 + 3947.6 us
    const Choice large = eight.all_reduce(gib);
    expect_choice(large, Algorithm::nvls, Protocol::simple);
    EXPECT_NEAR(large.nccl_time_us, 3972.6, 0.1);
}

TEST(NcclChoice, SixtyFourNodesClimbFromTreesToNvlsTree) {
    const Chooser job{testing::full_nodes(64)};

    // 6.8 + 2 * (7 * 0.6 + 6 * 5) = 75.2 us + 0.1
    const Choice small = job.all_reduce(kib);
    expect_choice(small, Algorithm::tree, Protocol::ll);
    EXPECT_NEAR(small.nccl_time_us, 75.3, 0.05);

    // 14 + 2 * (7 * 1.25 + 6 * 8.5) = 133.5 us; 98.6 GB/s * 0.6: 17.7 us
    const Choice medium = job.all_reduce(mib);
    expect_choice(medium, Algorithm::tree, Protocol::ll128);
    EXPECT_NEAR(medium.nccl_time_us, 151.2, 0.05);

    // min(59.5, 48, 45.5) * 8 * 512 / 1022 = 182.4 GB/s; 25 + 2 * 6 * 20.9 = 275.8 us
    const Choice large = job.all_reduce(gib);
    expect_choice(large, Algorithm::nvls_tree, Protocol::simple);
    EXPECT_NEAR(large.nccl_time_us, 6164, 1);
    EXPECT_NEAR(large.latency_us, 275.8, 1e-9);
}

TEST(NcclChoice, SixtyFourNodesCrossToNvlsTreeAtThirtyTwoMebibytes) {
    const Chooser job{testing::full_nodes(64)};

    expect_choice(job.all_reduce(16 * mib), Algorithm::tree, Protocol::ll128);
    expect_choice(job.all_reduce(32 * mib), Algorithm::nvls_tree, Protocol::simple);
}

TEST(NcclChoice, AveragesFallBackToTreesAndRings) {
    // NVLS cannot average: of Tree/Simple 9005, Ring/LL128 9520 and Ring/Simple 12328 us
    // (latency 4819 * 1.4) the tree wins at 1 GiB.
    const Chooser job{testing::full_nodes(64)};

    const Choice average =
        job.model.choose(CollectiveKind::all_reduce, DType::bf16, ReduceOp::avg, gib, job.shape);

    expect_choice(average, Algorithm::tree, Protocol::simple);
    EXPECT_NEAR(average.nccl_time_us, 9005, 1);
}

TEST(NcclChoice, SixtyFourNodesGatherInRings) {
    const Chooser job{testing::full_nodes(64)};

    const Choice small = job.all_gather(kib * 512);
    expect_choice(small, Algorithm::ring, Protocol::ll);
    EXPECT_NEAR(small.latency_us, 625, 0.6);
    expect_choice(job.all_gather(8 * mib), Algorithm::ring, Protocol::ll);
    expect_choice(job.all_gather(16 * mib), Algorithm::ring, Protocol::ll128);
    const Choice gibibyte = job.all_gather(gib);
    expect_choice(gibibyte, Algorithm::ring, Protocol::ll128);
    EXPECT_NEAR(gibibyte.nccl_time_us, 4767, 1);
    const Choice large = job.all_gather(8 * gib);
    expect_choice(large, Algorithm::ring, Protocol::simple);
    EXPECT_NEAR(large.nccl_time_us, 24.7e3, 50);
}

TEST(NcclChoice, TwoNodesClimbFromTreesToNvlsTree) {
    const Chooser pair{testing::full_nodes(2)};

    expect_choice(pair.all_reduce(128 * kib), Algorithm::tree, Protocol::ll);
    expect_choice(pair.all_reduce(256 * kib), Algorithm::tree, Protocol::ll128);
    expect_choice(pair.all_reduce(mib), Algorithm::tree, Protocol::ll128);
    expect_choice(pair.all_reduce(2 * mib), Algorithm::nvls_tree, Protocol::simple);
    EXPECT_NEAR(pair.all_reduce(gib).nccl_time_us, 4428, 1);
}

TEST(NcclChoice, AvoidsRingsForWideFp8Sums) {
    const Chooser job{testing::full_nodes(64)};

    const Choice choice =
        job.model.choose(CollectiveKind::all_reduce, DType::fp8, ReduceOp::sum, gib, job.shape);

    EXPECT_EQ(name_of(choice.algorithm), "tree");
}

}  // namespace
}  // namespace prismllm::cost
