// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Groups of expert layers, derived by hand from Megatron-LM's rule: etp-ep-edp-pp over the same
// ranks as tp-cp-dp-pp.
#include <cstdint>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs.hpp"

namespace prismllm::target {
namespace {

using graph::Family;
using graph::FamilyKind;
using testing::ElementsAre;

const FamilyNumbers numbers;

/// 16 ranks as TP2 x DP4 x PP2 with 8 experts spread over two ranks.
Job moe_job(std::int64_t expert_tensor) {
    Job job = small_job();
    job.model.experts = 8;
    job.model.experts_per_token = 2;
    job.parallel.world_size = 16;
    job.parallel.pipeline = 2;
    job.parallel.expert = 2;
    job.parallel.expert_tensor = expert_tensor;
    job.parallel.sequence = true;
    return job;
}

std::vector<Family> families_of(const Job& job) {
    const Expected<Layout> layout = layout_of(job);
    EXPECT_TRUE(layout) << layout.error().message;
    return layout ? target::families_of(*layout) : std::vector<Family>(13);
}

TEST(ExpertFamilies, FollowTheOthersInTheOrderOfTheirNumbers) {
    const std::vector<Family> families = families_of(moe_job(1));

    ASSERT_EQ(families.size(), 13U);
    EXPECT_EQ(families[numbers.world].name, "world");
    EXPECT_EQ(families[numbers.expert].name, "ep");
    EXPECT_EQ(families[numbers.expert_tensor].name, "etp");
    EXPECT_EQ(families[numbers.expert_data].name, "edp");
    EXPECT_EQ(families[numbers.expert_mesh].name, "etp_ep");
    EXPECT_EQ(families[numbers.expert_model].name, "etp_ep_pp");
    EXPECT_EQ(families[numbers.expert].kind, FamilyKind::expert);
    EXPECT_EQ(families[numbers.expert_data].kind, FamilyKind::expert_data);
}

TEST(ExpertFamilies, AreNotMadeForADenseModel) {
    EXPECT_EQ(families_of(small_job()).size(), 8U);
}

TEST(ExpertFamilies, LeaveTheFamiliesOfTheDenseMeshAsTheyAre) {
    Job dense = moe_job(0);
    dense.model.experts = dense.model.experts_per_token = 0;
    dense.parallel.expert = 1;
    const std::vector<Family> without = families_of(dense);

    const std::vector<Family> with = families_of(moe_job(0));

    EXPECT_EQ(std::vector<Family>(with.begin(), with.begin() + 8), without);
}

// Whole experts: 16 = etp 1 x ep 2 x edp 4 x pp 2, strides 1, 1, 2, 8.
TEST(ExpertFamilies, OfWholeExpertsSpreadThemOverTheTensorRanks) {
    const std::vector<Family> families = families_of(moe_job(1));

    EXPECT_EQ(families[numbers.expert].group_count(), 8);
    EXPECT_THAT(families[numbers.expert].group_ranks(0), ElementsAre(0, 1));
    EXPECT_THAT(families[numbers.expert].group_ranks(7), ElementsAre(14, 15));
    EXPECT_EQ(families[numbers.expert_tensor].group_count(), 16);
    EXPECT_THAT(families[numbers.expert_tensor].group_ranks(5), ElementsAre(5));
    EXPECT_EQ(families[numbers.expert_data].group_count(), 4);
    EXPECT_THAT(families[numbers.expert_data].group_ranks(0), ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(families[numbers.expert_data].group_ranks(3), ElementsAre(9, 11, 13, 15));
    EXPECT_THAT(families[numbers.expert_mesh].group_ranks(1), ElementsAre(2, 3));
    EXPECT_THAT(families[numbers.expert_model].group_ranks(0), ElementsAre(0, 1, 8, 9));
    EXPECT_THAT(families[numbers.expert_model].group_ranks(3), ElementsAre(6, 7, 14, 15));
}

// Cut experts: 16 = etp 2 x ep 2 x edp 2 x pp 2, strides 1, 2, 4, 8.
TEST(ExpertFamilies, OfCutExpertsSpreadThemOverDataRanks) {
    const std::vector<Family> families = families_of(moe_job(2));

    EXPECT_THAT(families[numbers.expert_tensor].group_ranks(3), ElementsAre(6, 7));
    EXPECT_EQ(families[numbers.expert].group_count(), 8);
    EXPECT_THAT(families[numbers.expert].group_ranks(0), ElementsAre(0, 2));
    EXPECT_THAT(families[numbers.expert].group_ranks(1), ElementsAre(1, 3));
    EXPECT_THAT(families[numbers.expert].group_ranks(2), ElementsAre(4, 6));
    EXPECT_THAT(families[numbers.expert].group_ranks(7), ElementsAre(13, 15));
    EXPECT_EQ(families[numbers.expert_data].group_count(), 8);
    EXPECT_THAT(families[numbers.expert_data].group_ranks(3), ElementsAre(3, 7));
    EXPECT_THAT(families[numbers.expert_data].group_ranks(4), ElementsAre(8, 12));
    EXPECT_THAT(families[numbers.expert_mesh].group_ranks(3), ElementsAre(12, 13, 14, 15));
    EXPECT_THAT(families[numbers.expert_model].group_ranks(1),
                ElementsAre(4, 5, 6, 7, 12, 13, 14, 15));
}

TEST(ExpertFamilies, CutExpertsAsTheDenseLayersUnlessTold) {
    EXPECT_EQ(families_of(moe_job(0)), families_of(moe_job(2)));
}

// 16 = CP4 x DP4 in dense layers; experts know no context: 16 = ep 8 x edp 2.
TEST(ExpertFamilies, CountContextRanksAsData) {
    Job job = moe_job(1);
    job.parallel.tensor = job.parallel.pipeline = 1;
    job.parallel.sequence = false;
    job.parallel.context = 4;
    job.parallel.expert = 8;

    const std::vector<Family> families = families_of(job);

    EXPECT_THAT(families[numbers.expert].group_ranks(1), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
    EXPECT_THAT(families[numbers.expert_data].group_ranks(5), ElementsAre(5, 13));
}

// tp-cp-ep-pp-dp: strides of TP2 x PP2 x DP4 are 1, 2, 4, and so are those of EP2 x PP2 x EDP4.
TEST(ExpertFamilies, WithPipelineBeforeDataKeepTheStagesSideBySide) {
    Job job = moe_job(1);
    job.parallel.order = RankOrder::tp_cp_ep_pp_dp;

    const std::vector<Family> families = families_of(job);

    EXPECT_THAT(families[numbers.pipeline].group_ranks(0), ElementsAre(0, 2));
    EXPECT_THAT(families[numbers.expert].group_ranks(1), ElementsAre(2, 3));
    EXPECT_THAT(families[numbers.expert_data].group_ranks(0), ElementsAre(0, 4, 8, 12));
    EXPECT_THAT(families[numbers.expert_model].group_ranks(2), ElementsAre(8, 9, 10, 11));
}

TEST(ExpertFamilies, CoverEveryRankOnceAndPassTheConsistencyCheckOfTheGraph) {
    for (const std::int64_t expert_tensor : {1, 2}) {
        Job job = moe_job(expert_tensor);
        job.parallel.world_size = 96;  // TP2 x DP24 x PP2
        job.training.global_batch_size = 24;
        job.parallel.expert = 4;
        graph::ExecutionGraph graph;
        graph.world_size = 96;
        graph.streams = {"compute"};
        graph.families = families_of(job);
        graph.classes.push_back({"all", 0, {}});
        graph.rank_runs.push_back({0, 96, 0});

        const Status status = graph::check_consistent(graph);

        EXPECT_TRUE(status.has_value()) << status.error().message;
        for (std::size_t f = numbers.expert; f <= numbers.expert_model; ++f) {
            std::multiset<std::int64_t> seen;
            for (std::int64_t g = 0; g < graph.families[f].group_count(); ++g) {
                const std::vector<std::int64_t> ranks = graph.families[f].group_ranks(g);
                seen.insert(ranks.begin(), ranks.end());
            }
            EXPECT_EQ(seen.size(), 96U) << graph.families[f].name;
            EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), 96U);
        }
    }
}

// What a stage sends must reach the same rank whatever layer comes last.
TEST(ExpertFamilies, LieWithinTheStagesOfTheDenseMesh) {
    for (const std::int64_t expert_tensor : {1, 2}) {
        const Layout layout = layout_of(moe_job(expert_tensor)).value();
        const std::vector<Family> families = target::families_of(layout);

        for (const std::size_t f : {numbers.expert, numbers.expert_data, numbers.expert_mesh}) {
            for (std::int64_t g = 0; g < families[f].group_count(); ++g) {
                const std::vector<std::int64_t> ranks = families[f].group_ranks(g);
                for (const std::int64_t rank : ranks) {
                    EXPECT_EQ(layout.coordinates(rank).pipeline,
                              layout.coordinates(ranks.front()).pipeline);
                }
            }
        }
    }
}

}  // namespace
}  // namespace prismllm::target
