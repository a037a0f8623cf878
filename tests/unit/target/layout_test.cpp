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

TEST(MakeLayout, DerivesDataParallelSizeAndMicroBatches) {
    const Expected<Layout> layout = layout_of(small_job());

    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->data, 8);           // 64 / (2 x 4)
    EXPECT_EQ(layout->micro_batches, 4);  // 32 / (1 x 8)
    EXPECT_EQ(layout->padded_vocab, 50432);
    EXPECT_EQ(layout->kv_heads_per_rank, 8);
}

// NVIDIA/Megatron-LM#5958: 32 GPUs, TP1 PP1 CP16 DP2: samples are dealt to 2 replicas, not 32.
TEST(MakeLayout, DealsSamplesToReplicasNotToContextRanks) {
    Job job = small_job();
    job.parallel.world_size = 32;
    job.parallel.tensor = 1;
    job.parallel.pipeline = 1;
    job.parallel.context = 16;
    job.training.global_batch_size = 8;

    const Expected<Layout> layout = layout_of(job);

    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->data, 2);
    EXPECT_EQ(layout->micro_batches, 4);
}

TEST(MakeLayout, ReportsEveryProblemAtOnceOnePerLine) {
    Job job = small_job();
    job.parallel.world_size = 60;
    job.parallel.expert = 2;
    job.model.layers = 30;
    job.model.kv_heads = 5;
    job.training.sequence_length = 2047;
    job.parallel.sequence = true;

    const std::string message = refusal_of(job);

    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 5) << message;
    EXPECT_THAT(
        message,
        AllOf(HasSubstr("parallel.world_size 60"), HasSubstr("parallel.expert_parallel is 2"),
              HasSubstr("model.attention_heads 16 is not a multiple of"),
              HasSubstr("model.kv_heads 5 is not divisible"),
              HasSubstr("training.sequence_length 2047"), HasSubstr("model.layers 30")));
}

TEST(MakeLayout, NamesTheWorldSizesThatWouldDo) {
    Job job = small_job();
    job.parallel.world_size = 60;

    // 32 samples go over 4 or 8 replicas, not over 7.
    EXPECT_THAT(refusal_of(job),
                AllOf(HasSubstr("is not a multiple of 8"), HasSubstr("Use world_size 32 or 64.")));
}

TEST(MakeLayout, RefusesAWorldSmallerThanOneReplica) {
    Job job = small_job();
    job.parallel.world_size = 4;

    EXPECT_THAT(refusal_of(job), HasSubstr("Use world_size 8."));
}

TEST(MakeLayout, NamesTheGlobalBatchesThatWouldDo) {
    Job job = small_job();
    job.training.micro_batch_size = 2;
    job.training.global_batch_size = 40;

    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("global_batch_size 40 is not a multiple of 16"),
                                       HasSubstr("micro_batch_size 2 x data-parallel size 8"),
                                       HasSubstr("Use 32 or 48.")));
}

TEST(MakeLayout, RefusesSizesOutOfRangeBeforeItDividesByThem) {
    Job job = small_job();
    job.parallel.tensor = 0;
    job.training.micro_batch_size = -1;
    job.model.attention_heads = 0;

    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("parallel.tensor_parallel is 0"),
                                       HasSubstr("training.micro_batch_size is -1"),
                                       HasSubstr("model.attention_heads is 0")));
}

// Ops of the execution graph number layers and micro-batches with 16 bits.
TEST(MakeLayout, RefusesMoreLayersOrMicroBatchesThanOpsCanNumber) {
    Job job = small_job();
    job.model.layers = 32768;

    EXPECT_THAT(refusal_of(job), HasSubstr("model.layers is 32768 (out of range). Use 1 to 32767"));

    job.model.layers = 24;
    job.training.global_batch_size = 8 * 32768;

    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("makes 32768 micro-batches"),
                                       HasSubstr("at most 262136.")));  // 8 x 32,767
}

TEST(MakeLayout, SurvivesSizesWhoseProductOverflows) {
    Job job = small_job();
    job.parallel.tensor = job.parallel.context = job.parallel.pipeline = 1 << 24;
    job.parallel.virtual_pipeline = 1 << 24;

    EXPECT_THAT(refusal_of(job), HasSubstr("Use at most 26 stages"));
}

// Padding of 128 x TP as bigscience-workshop/bigscience#30 and Megatron-LM do it.
TEST(PadVocabulary, RoundsUpToAMultipleOfTheUnitOfAllTensorRanks) {
    EXPECT_EQ(pad_vocabulary(250680, 128, 8), 250880);  // 245 x 1,024
    EXPECT_EQ(pad_vocabulary(250680, 128, 8) / 8, 31360);
    EXPECT_EQ(pad_vocabulary(50257, 128, 1), 50304);
    EXPECT_EQ(pad_vocabulary(50257, 128, 2), 50432);
    EXPECT_EQ(pad_vocabulary(50257, 128, 8), 51200);
    EXPECT_EQ(pad_vocabulary(51200, 128, 8), 51200);
    EXPECT_EQ(pad_vocabulary(1, 128, 1), 128);
}

// pytorch/torchtitan#2577: 2 KV heads under TP8.
TEST(TensorParallel, BeyondTheKvHeadsIsRefusedNamingBoth) {
    Job job = small_job();
    job.model.kv_heads = 2;
    job.parallel.tensor = 8;

    EXPECT_THAT(refusal_of(job),
                AllOf(HasSubstr("model.kv_heads 2 is less than parallel.tensor_parallel 8"),
                      HasSubstr("Use tensor_parallel 2, or set parallel.kv_replication = true"),
                      HasSubstr("4 times")));
}

TEST(TensorParallel, BeyondTheKvHeadsWithReplicationKeepsOneHeadARank) {
    Job job = small_job();
    job.model.kv_heads = 2;
    job.parallel.tensor = 8;
    job.parallel.kv_replication = true;

    const Expected<Layout> layout = layout_of(job);

    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->kv_heads_per_rank, 1);
}

TEST(TensorParallel, ThatSplitsAHeadIsRefusedWithSizesThatWouldDo) {
    Job job = small_job();
    job.model.attention_heads = 12;
    job.model.head_dim = 64;
    job.parallel.tensor = 8;

    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("model.attention_heads 12 is not divisible by "
                                                 "parallel.tensor_parallel 8"),
                                       HasSubstr("Use tensor_parallel 4.")));
}

TEST(TensorParallel, IsAdvisedSoThatRanksAndSamplesCanBeCutToo) {
    Job job = small_job();  // 64 ranks, PP4
    job.model.hidden_size = job.model.ffn_hidden_size = 480;
    job.model.attention_heads = job.model.kv_heads = 24;
    job.parallel.tensor = 5;

    // 24 heads go over 4 and 6 ranks, and 64 ranks are no multiple of 6 x 4.
    EXPECT_THAT(refusal_of(job), HasSubstr("(each rank holds whole heads). Use tensor_parallel 4 "
                                           "or 8."));
}

TEST(TensorParallel, ThatSplitsTheMlpUnevenlyIsRefused) {
    Job job = small_job();
    job.model.ffn_hidden_size = 4097;

    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr("model.ffn_hidden_size 4097 is not divisible"),
                                       HasSubstr("Use tensor_parallel 1.")));
}

TEST(TensorParallel, IsNeededForSequenceParallelism) {
    Job job = small_job();
    job.parallel.sequence = true;
    job.parallel.tensor = 1;

    EXPECT_THAT(refusal_of(job), HasSubstr("parallel.sequence_parallel is true with"));
}

TEST(ContextParallel, NeedsTwoEqualChunksARank) {
    Job job = small_job();
    job.parallel.context = 4;
    job.parallel.world_size = 256;
    job.parallel.sequence = true;
    job.training.sequence_length = 2040;

    EXPECT_THAT(refusal_of(job),
                AllOf(HasSubstr("sequence_length 2040 is not a multiple of 16"),
                      HasSubstr("(context_parallel 4 takes two chunks a rank, sequence_parallel "
                                "cuts it by tensor_parallel 2)"),
                      HasSubstr("Use 2032 or 2048.")));
}

TEST(Model, WithoutHeadDimNeedsWholeHeads) {
    Job job = small_job();
    job.model.attention_heads = 10;

    EXPECT_THAT(refusal_of(job), HasSubstr("Use attention_heads 8 or 16, or give head_dim."));
}

TEST(Model, WithLearnedPositionsNeedsARowForEveryPosition) {
    Job job = small_job();
    job.model.positions = PositionKind::learned;
    job.model.max_positions = 1024;

    EXPECT_THAT(refusal_of(job),
                HasSubstr("model.max_positions 1024 is less than training.sequence_length 2048"));
}

TEST(Model, DefaultsFollowFromHiddenSizeAndHeads) {
    const Model model = with_defaults(small_job().model);

    EXPECT_EQ(model.ffn_hidden_size, 4096);
    EXPECT_EQ(model.kv_heads, 16);
    EXPECT_EQ(model.head_dim, 64);
}

/// TP1 PP4 DP1 with two chunks a stage and the given number of micro-batches.
Job interleaved_job(std::int64_t micro_batches) {
    Job job = small_job();
    job.parallel.world_size = 4;
    job.parallel.tensor = 1;
    job.parallel.virtual_pipeline = 2;
    job.training.global_batch_size = micro_batches;
    return job;
}

// pytorch/pytorch#129597: rounds = max(1, m div p), m a multiple of the rounds.
TEST(InterleavedSchedule, TakesMicroBatchesThatFillEqualRounds) {
    EXPECT_TRUE(layout_of(interleaved_job(10)));  // 2 rounds of 5
    EXPECT_TRUE(layout_of(interleaved_job(3)));   // 1 round of 3
    EXPECT_TRUE(layout_of(interleaved_job(7)));   // 1 round of 7
    EXPECT_TRUE(layout_of(interleaved_job(8)));
}

TEST(InterleavedSchedule, RefusesUnequalRoundsNamingNeighbours) {
    EXPECT_THAT(refusal_of(interleaved_job(9)),
                AllOf(HasSubstr("training.global_batch_size 9 makes 9 micro-batches, which do not "
                                "divide into 2 rounds"),
                      HasSubstr("Use 8 or 10.")));
}

TEST(InterleavedSchedule, NamesGlobalBatchesNotMicroBatches) {
    Job job = interleaved_job(9);
    job.training.micro_batch_size = 2;
    job.training.global_batch_size = 18;

    EXPECT_THAT(refusal_of(job), HasSubstr("Use 16 or 20."));
}

TEST(InterleavedSchedule, NeedsAPipeline) {
    Job job = interleaved_job(4);
    job.parallel.pipeline = 1;

    EXPECT_THAT(refusal_of(job), HasSubstr("virtual_pipeline is 2 with pipeline_parallel 1"));
}

// pytorch/torchtitan#775: one micro-batch on 8 stages is slow but right.
TEST(PlainSchedule, TakesFewerMicroBatchesThanStages) {
    Job job = small_job();
    job.parallel.world_size = 8;
    job.parallel.tensor = 1;
    job.parallel.pipeline = 8;
    job.training.global_batch_size = 1;

    const Expected<Layout> layout = layout_of(job);

    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->micro_batches, 1);
}

TEST(DistributedOptimizer, IsNeededToOverlapItsGather) {
    Job job = small_job();
    job.parallel.overlap_param_gather = true;

    EXPECT_THAT(refusal_of(job), HasSubstr("parallel.overlap_param_gather is true"));
}

}  // namespace
}  // namespace prismllm::target
