// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs.hpp"

namespace prismllm::target {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// 64 ranks as TP2 x DP8 x PP4, 8 experts of which every rank holds two.
Job moe_job() {
    Job job = small_job();
    job.model.experts = 8;
    job.model.experts_per_token = 2;
    job.parallel.expert = 4;
    job.parallel.sequence = true;
    return job;
}

TEST(ExpertLayout, DerivesTheExpertMesh) {
    const Expected<Layout> layout = layout_of(moe_job());

    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->expert_tensor, 2);
    EXPECT_EQ(layout->expert, 4);
    EXPECT_EQ(layout->expert_data, 2);  // 64 / (2 x 4 x 4)
    EXPECT_EQ(layout->experts_per_rank, 2);
    EXPECT_EQ(layout->data, 8);  // samples are dealt as in a dense model
}

TEST(ExpertLayout, RefusesKeysOfExpertsInADenseModelNamingAllOfThem) {
    Job job = small_job();
    job.model.experts_per_token = 2;
    job.model.shared_expert_ffn_hidden_size = 512;
    job.parallel.expert = 2;
    job.parallel.expert_tensor = 1;

    const std::string message = refusal_of(job);

    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << message;
    EXPECT_THAT(message,
                AllOf(HasSubstr("model.experts_per_token, model.shared_expert_ffn_hidden_size "
                                "given without model.experts"),
                      HasSubstr("parallel.expert_parallel is 2 (the model is dense"),
                      HasSubstr("parallel.expert_tensor_parallel is 1 (the model is dense")));
}

TEST(ExpertLayout, SendsEachTokenToSomeOfTheExperts) {
    Job job = moe_job();
    job.model.experts_per_token = 0;
    EXPECT_THAT(refusal_of(job), HasSubstr("model.experts_per_token is 0"));

    job.model.experts_per_token = 9;
    EXPECT_THAT(refusal_of(job),
                AllOf(HasSubstr("some of model.experts 8"), HasSubstr("Use 1 to 8.")));

    job.model.experts_per_token = 8;
    EXPECT_TRUE(layout_of(job));
}

TEST(ExpertLayout, SpreadsExpertsEvenlyNamingDegreesThatWouldDo) {
    Job job = moe_job();
    job.model.experts = 12;
    job.parallel.expert = 8;

    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("model.experts 12 is not divisible by "
                                                 "parallel.expert_parallel 8"),
                                       // 64 ranks are no multiple of TP2 x EP6 x PP4
                                       HasSubstr("Use expert_parallel 4.")));
}

TEST(ExpertLayout, CutsEveryExpertEvenly) {
    Job job = moe_job();
    job.model.expert_ffn_hidden_size = 1023;
    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("model.expert_ffn_hidden_size 1023"),
                                       // 3 x EP4 x PP4 are no part of 64 ranks
                                       HasSubstr("Use expert_tensor_parallel 1.")));

    job.parallel.expert_tensor = 1;
    EXPECT_TRUE(layout_of(job));

    job.model.shared_expert_ffn_hidden_size = 1023;  // cut as the MLP, by TP2
    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("model.shared_expert_ffn_hidden_size 1023"),
                                       HasSubstr("Use tensor_parallel 1.")));
}

// A model of expert layers only has no plain MLP to cut.
TEST(ExpertLayout, CutsAPlainMlpOnlyIfALayerHasOne) {
    Job job = moe_job();
    job.model.ffn_hidden_size = 4097;
    job.model.expert_ffn_hidden_size = 512;
    EXPECT_TRUE(layout_of(job));

    job.model.first_dense_layers = 1;
    EXPECT_THAT(refusal_of(job), HasSubstr("model.ffn_hidden_size 4097 is not divisible"));
}

TEST(ExpertLayout, KeepsALayerForTheExperts) {
    Job job = moe_job();
    job.model.first_dense_layers = 24;

    EXPECT_THAT(refusal_of(job),
                AllOf(HasSubstr("model.first_dense_layers is 24"), HasSubstr("Use 0 to 23")));
}

TEST(ExpertLayout, GatesSharedExpertsOnlyIfThereAreSome) {
    Job job = moe_job();
    job.model.shared_expert_gate = true;

    EXPECT_THAT(refusal_of(job), HasSubstr("model.shared_expert_gate is true without"));
}

TEST(ExpertLayout, NeedsSequenceParallelismBesideTensorParallelism) {
    Job job = moe_job();
    job.parallel.sequence = false;

    EXPECT_THAT(refusal_of(job), HasSubstr("parallel.sequence_parallel is false with experts"));
}

// TP2 x PP4 x DP3 are 24 ranks; ETP2 x EP4 x PP4 are 32.
TEST(ExpertLayout, HoldsAllExpertsAWholeNumberOfTimes) {
    Job job = moe_job();
    job.parallel.world_size = 24;
    job.training.global_batch_size = 3;

    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("parallel.world_size 24 is not a multiple of 32"),
                                       HasSubstr("(expert_tensor_parallel 2 x expert_parallel 4 x "
                                                 "pipeline_parallel 4: "),
                                       HasSubstr("Use expert_parallel 1, or world_size 32.")));
}

TEST(ExpertLayout, NeedsOneSetOfPipelineGroups) {
    Job job = moe_job();
    job.parallel.order = RankOrder::tp_cp_ep_pp_dp;

    EXPECT_THAT(refusal_of(job),
                AllOf(HasSubstr("parallel.rank_order tp-cp-ep-pp-dp puts 2 ranks"),
                      HasSubstr("(tensor_parallel 2 x context_parallel 1) but 8 in expert layers "
                                "(expert_tensor_parallel 2 x expert_parallel 4)"),
                      HasSubstr("Use rank_order tp-cp-ep-dp-pp or expert_parallel 1.")));

    job.parallel.pipeline = 1;  // one stage: nothing to send
    EXPECT_TRUE(layout_of(job));
}

TEST(ExpertLayout, SurvivesDegreesWhoseProductOverflows) {
    Job job = moe_job();
    job.parallel.tensor = job.parallel.expert = job.parallel.pipeline = 1 << 24;

    EXPECT_THAT(refusal_of(job), HasSubstr("model.experts 8 is not divisible"));
}

}  // namespace
}  // namespace prismllm::target
