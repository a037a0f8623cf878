// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs.hpp"

namespace prismllm::target {
namespace {

using graph::Family;
using testing::ElementsAre;
using testing::IsEmpty;

Layout mesh(std::int64_t tensor, std::int64_t context, std::int64_t data, std::int64_t pipeline,
            RankOrder order = RankOrder::tp_cp_ep_dp_pp) {
    Layout layout;
    layout.tensor = tensor;
    layout.context = context;
    layout.data = data;
    layout.pipeline = pipeline;
    layout.world_size = tensor * context * data * pipeline;
    layout.order = order;
    return layout;
}

TEST(Families, StandInTheOrderOfTheirNumbers) {
    const FamilyNumbers numbers;

    const std::vector<Family> families = families_of(mesh(2, 2, 2, 2));

    ASSERT_EQ(families.size(), 8U);
    EXPECT_EQ(families[numbers.tensor].name, "tp");
    EXPECT_EQ(families[numbers.context].name, "cp");
    EXPECT_EQ(families[numbers.data].name, "dp");
    EXPECT_EQ(families[numbers.data_context].name, "dp_cp");
    EXPECT_EQ(families[numbers.pipeline].name, "pp");
    EXPECT_EQ(families[numbers.embedding].name, "embedding");
    EXPECT_EQ(families[numbers.model].name, "model");
    EXPECT_EQ(families[numbers.world].name, "world");
    EXPECT_EQ(families[numbers.data_context].kind, graph::FamilyKind::data_context);
}

// The example of Megatron-LM's initialize_model_parallel: 16 GPUs, TP2, PP4, hence DP2.
TEST(Families, MatchTheExampleInMegatronsDocumentation) {
    const FamilyNumbers numbers;

    const std::vector<Family> families = families_of(mesh(2, 1, 2, 4));

    const Family& tensor = families[numbers.tensor];
    EXPECT_EQ(tensor.group_count(), 8);
    EXPECT_THAT(tensor.group_ranks(0), ElementsAre(0, 1));
    EXPECT_THAT(tensor.group_ranks(7), ElementsAre(14, 15));
    const Family& pipeline = families[numbers.pipeline];
    EXPECT_EQ(pipeline.group_count(), 4);
    EXPECT_THAT(pipeline.group_ranks(0), ElementsAre(0, 4, 8, 12));
    EXPECT_THAT(pipeline.group_ranks(3), ElementsAre(3, 7, 11, 15));
    const Family& data = families[numbers.data];
    EXPECT_EQ(data.group_count(), 8);
    EXPECT_THAT(data.group_ranks(0), ElementsAre(0, 2));
    EXPECT_THAT(data.group_ranks(1), ElementsAre(1, 3));
    EXPECT_THAT(data.group_ranks(2), ElementsAre(4, 6));
    EXPECT_THAT(data.group_ranks(7), ElementsAre(13, 15));
    EXPECT_THAT(families[numbers.embedding].group_ranks(1), ElementsAre(1, 13));
    EXPECT_THAT(families[numbers.model].group_ranks(0), ElementsAre(0, 1, 4, 5, 8, 9, 12, 13));
}

TEST(Families, WithPipelineBeforeDataPutNeighbouringStagesSideBySide) {
    const FamilyNumbers numbers;

    const std::vector<Family> families = families_of(mesh(2, 1, 2, 4, RankOrder::tp_cp_ep_pp_dp));

    EXPECT_THAT(families[numbers.pipeline].group_ranks(0), ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(families[numbers.pipeline].group_ranks(2), ElementsAre(8, 10, 12, 14));
    EXPECT_THAT(families[numbers.data].group_ranks(0), ElementsAre(0, 8));
    EXPECT_THAT(families[numbers.embedding].group_ranks(0), ElementsAre(0, 6));
    EXPECT_THAT(families[numbers.model].group_ranks(1), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
}

// NVIDIA/Megatron-LM#5958: 32 GPUs, TP1 PP1 CP16 DP2.
TEST(Families, WithContextParallelismReduceGradientsOverBothAxes) {
    const FamilyNumbers numbers;
    const std::vector<Family> families = families_of(mesh(1, 16, 2, 1));

    const Family& context = families[numbers.context];
    const Family& data = families[numbers.data];
    const Family& gradients = families[numbers.data_context];

    EXPECT_EQ(context.group_count(), 2);
    EXPECT_THAT(context.group_ranks(0),
                ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    EXPECT_THAT(context.group_ranks(1),
                ElementsAre(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
    EXPECT_EQ(data.group_count(), 16);
    for (std::int64_t group = 0; group < 16; ++group) {
        EXPECT_THAT(data.group_ranks(group), ElementsAre(group, group + 16));
    }
    EXPECT_EQ(gradients.group_count(), 1);
    EXPECT_EQ(gradients.group_size(0), 32);
    EXPECT_EQ(families[numbers.pipeline].group_count(), 32);
    EXPECT_EQ(families[numbers.pipeline].group_size(31), 1);
}

TEST(Families, OfOnePipelineStageHaveNoEmbeddingGroups) {
    const FamilyNumbers numbers;

    const Family embedding = families_of(mesh(2, 1, 4, 1))[numbers.embedding];

    EXPECT_EQ(embedding.group_count(), 0);
    EXPECT_THAT(graph::membership_of(embedding, 8).group, testing::Each(-1));
}

TEST(Families, CoverEveryRankOnceAndGroupRanksThatDifferAlongTheirAxesOnly) {
    for (const RankOrder order : {RankOrder::tp_cp_ep_dp_pp, RankOrder::tp_cp_ep_pp_dp}) {
        const Layout layout = mesh(2, 3, 5, 4, order);
        const FamilyNumbers numbers;
        const std::vector<Family> families = families_of(layout);

        for (const std::size_t number :
             {numbers.tensor, numbers.context, numbers.data, numbers.data_context, numbers.pipeline,
              numbers.model, numbers.world}) {
            std::multiset<std::int64_t> seen;
            for (std::int64_t g = 0; g < families[number].group_count(); ++g) {
                const std::vector<std::int64_t> ranks = families[number].group_ranks(g);
                seen.insert(ranks.begin(), ranks.end());
                for (const std::int64_t rank : ranks) {
                    const Coordinates a = layout.coordinates(ranks.front());
                    const Coordinates b = layout.coordinates(rank);
                    const bool everything = number == numbers.world;
                    const bool model = everything || number == numbers.model;
                    const bool gradients = everything || number == numbers.data_context;
                    EXPECT_TRUE(model || number == numbers.tensor || a.tensor == b.tensor);
                    EXPECT_TRUE(model || number == numbers.pipeline || a.pipeline == b.pipeline);
                    EXPECT_TRUE(gradients || number == numbers.context || a.context == b.context);
                    EXPECT_TRUE(gradients || number == numbers.data || a.data == b.data);
                }
            }
            EXPECT_EQ(seen.size(), 120U) << families[number].name;
            EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), 120U);
        }
    }
}

TEST(Families, PassTheConsistencyCheckOfTheGraph) {
    for (const RankOrder order : {RankOrder::tp_cp_ep_dp_pp, RankOrder::tp_cp_ep_pp_dp}) {
        for (const std::int64_t pipeline : {1, 2, 4}) {
            const Layout layout = mesh(2, 2, 3, pipeline, order);
            graph::ExecutionGraph graph;
            graph.world_size = layout.world_size;
            graph.streams = {"compute"};
            graph.families = families_of(layout);
            graph.classes.push_back({"all", 0, {}});
            graph.rank_runs.push_back({0, layout.world_size, 0});

            const Status status = graph::check_consistent(graph);

            EXPECT_TRUE(status.has_value()) << status.error().message;
        }
    }
}

TEST(Coordinates, RunTensorFirstAndPipelineLastByDefault) {
    // 405B on 8,192: rank 4,711 = 7 + 8 x (12 + 64 x 9).
    const Layout layout = mesh(8, 1, 64, 16);

    EXPECT_EQ(layout.coordinates(4711), (Coordinates{7, 0, 12, 9}));
    EXPECT_EQ(layout.coordinates(8191), (Coordinates{7, 0, 63, 15}));
}

TEST(Coordinates, AndRanksAreInverses) {
    for (const RankOrder order : {RankOrder::tp_cp_ep_dp_pp, RankOrder::tp_cp_ep_pp_dp}) {
        const Layout layout = mesh(2, 3, 5, 4, order);
        for (std::int64_t rank = 0; rank < layout.world_size; ++rank) {
            EXPECT_EQ(layout.rank_of(layout.coordinates(rank)), rank);
        }
    }
    EXPECT_EQ(mesh(2, 3, 5, 4).rank_of({1, 2, 4, 3}), 119);
    EXPECT_EQ(mesh(2, 3, 5, 4).rank_of({0, 0, 0, 1}), 30);
    EXPECT_EQ(mesh(2, 3, 5, 4, RankOrder::tp_cp_ep_pp_dp).rank_of({0, 0, 0, 1}), 6);
}

}  // namespace
}  // namespace prismllm::target
