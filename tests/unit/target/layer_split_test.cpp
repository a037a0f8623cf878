// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs.hpp"

namespace prismllm::target {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// NVIDIA/Megatron-LM#1304: 30 layers over 4 stages became 28 with no word.
TEST(LayerSplit, RefusesLayersThatDoNotDivideAndOffersASplit) {
    Job job = small_job();
    job.model.layers = 30;

    // 3 and 5 stages would divide the layers, but not 64 ranks.
    EXPECT_THAT(refusal_of(job),
                AllOf(HasSubstr("model.layers 30 do not divide evenly over 4 stages"),
                      HasSubstr("parallel.pipeline_parallel 2;"),
                      HasSubstr("count_embedding_in_split and count_loss_in_split both true"),
                      HasSubstr("parallel.stage_layers = [8, 8, 7, 7]")));
}

TEST(LayerSplit, TakesTheSplitItOffers) {
    Job job = small_job();
    job.model.layers = 30;
    job.parallel.stage_layers = {8, 8, 7, 7};

    const Expected<Layout> layout = layout_of(job);

    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->work(0, 0).first_layer, 0);
    EXPECT_EQ(layout->work(2, 0).first_layer, 16);
    EXPECT_EQ(layout->work(3, 0).layer_count, 7);
    EXPECT_TRUE(layout->work(0, 0).embedding);
    EXPECT_FALSE(layout->work(0, 0).loss);
    EXPECT_TRUE(layout->work(3, 0).loss);
}

// ISEEKYAN/Megatron-LM#47: 6 layers + embedding + loss = 8 units, 2 a stage.
TEST(LayerSplit, CountsEmbeddingAndLossAsLayers) {
    Job job = small_job();
    job.model.layers = 6;
    job.parallel.count_embedding_in_split = true;
    job.parallel.count_loss_in_split = true;

    EXPECT_EQ(split_layers(job.model, job.parallel).value(),
              (std::vector<std::int64_t>{1, 2, 2, 1}));
}

// Llama 3.1 405B: 126 layers + 2 = 128 = 16 stages x 8.
TEST(LayerSplit, OfLlama405BLeavesOneLayerLessAtBothEnds) {
    Job job = small_job();
    job.model.layers = 126;
    job.parallel.pipeline = 16;
    job.parallel.count_embedding_in_split = true;
    job.parallel.count_loss_in_split = true;

    const std::vector<std::int64_t> split = split_layers(job.model, job.parallel).value();

    EXPECT_EQ(split.front(), 7);
    EXPECT_EQ(split.back(), 7);
    EXPECT_TRUE(std::all_of(split.begin() + 1, split.end() - 1, [](auto n) { return n == 8; }));
}

TEST(LayerSplit, DealsVirtualStagesRoundRobin) {
    Job job = small_job();
    job.parallel.virtual_pipeline = 3;

    const Expected<Layout> layout = layout_of(job);

    ASSERT_TRUE(layout) << layout.error().message;
    ASSERT_EQ(layout->stages.size(), 12U);
    // 24 layers, 2 a chunk; chunk 1 of stage 2 is virtual stage 1 x 4 + 2 = 6.
    EXPECT_EQ(layout->work(2, 1).first_layer, 12);
    EXPECT_EQ(layout->work(2, 1).layer_count, 2);
    EXPECT_TRUE(layout->work(3, 2).loss);
    EXPECT_FALSE(layout->work(3, 1).loss);
}

TEST(LayerSplit, GivenEndsLeaveTheRestToTheStagesBetween) {
    Job job = small_job();
    job.parallel.first_stage_layers = 4;
    job.parallel.last_stage_layers = 6;

    EXPECT_EQ(split_layers(job.model, job.parallel).value(),
              (std::vector<std::int64_t>{4, 7, 7, 6}));
}

TEST(LayerSplit, GivenEndsAreSharedByTheChunksOfTheirStage) {
    Job job = small_job();
    job.model.layers = 20;
    job.parallel.virtual_pipeline = 2;
    job.parallel.first_stage_layers = 2;

    // 18 layers over 3 stages of 2 chunks: 3 a chunk; the first stage has 1 a chunk.
    EXPECT_EQ(split_layers(job.model, job.parallel).value(),
              (std::vector<std::int64_t>{1, 3, 3, 3, 1, 3, 3, 3}));
}

TEST(LayerSplit, RefusesEndsThatLeaveAnUnevenRest) {
    Job job = small_job();
    job.parallel.first_stage_layers = 4;

    EXPECT_THAT(refusal_of(job), Not(HasSubstr("accepted")));  // 20 over 3 stages

    job.parallel.last_stage_layers = 5;

    EXPECT_THAT(refusal_of(job), HasSubstr("leave 15 of 24 model.layers for 2 stages"));
}

TEST(LayerSplit, RefusesEndsThatTheirChunksCannotShare) {
    Job job = small_job();
    job.parallel.virtual_pipeline = 2;
    job.model.layers = 21;
    job.parallel.first_stage_layers = 3;  // 18 = 3 stages x 2 chunks x 3, but 3 is odd

    EXPECT_THAT(refusal_of(job), HasSubstr("the chunks of a stage are equal"));

    job.parallel.first_stage_layers = 0;
    job.parallel.last_stage_layers = 3;

    EXPECT_THAT(refusal_of(job), HasSubstr("the chunks of a stage are equal"));
}

TEST(LayerSplit, RefusesTwoEndsOfOneStage) {
    Job job = small_job();
    job.parallel.pipeline = 1;
    job.parallel.first_stage_layers = 12;
    job.parallel.last_stage_layers = 12;

    EXPECT_THAT(refusal_of(job), HasSubstr("they are the same stage"));
}

TEST(LayerSplit, RefusesEndsThatTakeEverything) {
    Job job = small_job();
    job.parallel.first_stage_layers = 12;
    job.parallel.last_stage_layers = 12;

    EXPECT_THAT(refusal_of(job), HasSubstr("leave 0 of 24"));
}

TEST(LayerSplit, RefusesAListOfWrongLengthOrSum) {
    Job job = small_job();
    job.parallel.stage_layers = {8, 8, 7};

    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("has 3 entries for 4 stages"),
                                       HasSubstr("sum to 23 (model.layers is 24")));
}

TEST(LayerSplit, RefusesAStageWithNothingToDo) {
    Job job = small_job();
    job.parallel.stage_layers = {12, 0, 12, 0};

    EXPECT_THAT(refusal_of(job), HasSubstr("entry 1 is 0"));

    job.parallel.stage_layers = {0, 12, 12, 0};

    EXPECT_TRUE(layout_of(job));
}

TEST(LayerSplit, RefusesAStageOfMoreLayersThanTheModelHas) {
    Job job = small_job();
    job.parallel.stage_layers = {6, 6, 6, 25};

    EXPECT_THAT(refusal_of(job), HasSubstr("entry 3 is 25"));
}

TEST(LayerSplit, RefusesTwoWaysAtOnce) {
    Job job = small_job();
    job.parallel.stage_layers = {6, 6, 6, 6};
    job.parallel.count_loss_in_split = true;

    EXPECT_THAT(refusal_of(job), HasSubstr("in more than one way"));
}

TEST(LayerSplit, OffersOnlySplitsThatItWouldTake) {
    for (std::int64_t layers = 1; layers <= 40; ++layers) {
        for (std::int64_t stages = 2; stages <= 8 && stages <= layers + 2; ++stages) {
            Job job = small_job();
            job.model.layers = layers;
            job.parallel.pipeline = stages;
            const auto split = split_layers(job.model, job.parallel);
            if (split) {
                continue;
            }
            const std::string& text = split.error().message;
            const std::size_t begin = text.find("stage_layers = [");
            ASSERT_NE(begin, std::string::npos) << text;
            std::string list = text.substr(begin + 16);
            std::replace(list.begin(), list.end(), ',', ' ');
            std::istringstream numbers{list};
            for (std::int64_t n = 0; numbers >> n;) {
                job.parallel.stage_layers.push_back(n);
            }

            EXPECT_TRUE(split_layers(job.model, job.parallel)) << text;
        }
    }
}

}  // namespace
}  // namespace prismllm::target
