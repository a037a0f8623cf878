// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <gtest/gtest.h>

#include "prismllm/target/parameters.hpp"

#include "jobs.hpp"

namespace prismllm::program {
namespace {

TensorShape tensor(std::int64_t elements) {
    return {elements, 0};
}

TensorShape shared_table(std::int64_t elements) {
    TensorShape shape{elements, 0};
    shape.shared_between_stages = true;
    return shape;
}

TEST(BufferPlan, ClosesABucketAfterTheTensorThatFillsItFromTheEndOfTheModel) {
    const BufferPlan plan = plan_buffer({tensor(10), tensor(20), tensor(30)}, {25, 4, false});

    ASSERT_EQ(plan.buckets.size(), 2U);
    EXPECT_EQ(plan.buckets[0].elements, 30);       // the last tensor alone
    EXPECT_EQ(plan.buckets[1].elements, 20 + 10);  // 20 do not fill it
    EXPECT_EQ(plan.tensors[2].offset, 0);
    EXPECT_EQ(plan.tensors[1].offset, 30);
    EXPECT_EQ(plan.tensors[0].offset, 50);
    EXPECT_EQ(plan.tensors[0].bucket, 1U);
    EXPECT_EQ(plan.elements, 60);
}

TEST(BufferPlan, KeepsOneBucketWithoutALimit) {
    const BufferPlan plan = plan_buffer({tensor(10), tensor(20), tensor(30)}, {0, 4, false});

    ASSERT_EQ(plan.buckets.size(), 1U);
    EXPECT_EQ(plan.buckets[0].elements, 60);
}

TEST(BufferPlan, PadsTensorsTo64AndBucketsToWholeShardsOf128) {
    // lcm(6, 128) = 384: 200, then 70 at 256 .. 326 fill 250; the next starts at 384.
    const BufferPlan plan = plan_buffer({tensor(100), tensor(70), tensor(200)}, {250, 6, true});

    ASSERT_EQ(plan.buckets.size(), 2U);
    EXPECT_EQ(plan.tensors[1].offset, 256);
    EXPECT_EQ(plan.tensors[0].offset, 384);
    EXPECT_EQ(plan.buckets[0].elements, 384);
    EXPECT_EQ(plan.buckets[0].parameters, 270);
    EXPECT_EQ(plan.buckets[1].elements, 384);
    EXPECT_EQ(plan.buckets[1].parameters, 100);
    EXPECT_EQ(plan.elements, 768);
}

TEST(BufferPlan, GivesASharedTableABucketOfItsOwnWhereShardsMustAgree) {
    const std::vector<TensorShape> shapes{shared_table(500), tensor(10), tensor(20)};

    const BufferPlan sharded = plan_buffer(shapes, {0, 2, true});
    const BufferPlan whole = plan_buffer(shapes, {0, 1, false});

    ASSERT_EQ(sharded.buckets.size(), 2U);
    EXPECT_EQ(sharded.tensors[0].offset, 128);
    EXPECT_EQ(sharded.tensors[0].bucket, 1U);
    EXPECT_EQ(sharded.buckets[1].elements, 512);
    EXPECT_EQ(whole.buckets.size(), 1U);
}

TEST(Parameters, CountIsExactWhateverThePadding) {
    for (const int zero : {0, 1}) {
        for (const bool gpt : {false, true}) {
            target::Job job = small_job(2, 2, 3);
            job.parallel.zero_stage = zero;
            job.model.qk_norm = !gpt;
            if (gpt) {
                make_gpt_like(job);
                job.model.embedding_norm = true;
            }
            const auto setup = make_setup(job).value();
            for (std::int64_t stage = 0; stage < 2; ++stage) {
                ModelExecutor executor;
                target::Coordinates where;
                where.pipeline = stage;
                const Context context{setup, executor, where};

                const ChunkParameters p = allocate_parameters(context, 0);

                std::int64_t count = 0;
                for (const Parameter& t : p.tensors) {
                    EXPECT_EQ(t.weight.elements, t.gradient.elements);
                    EXPECT_EQ(t.weight.offset, t.gradient.offset);
                    count += t.weight.elements;
                }
                EXPECT_EQ(count, target::parameters_on_stage(setup.model, setup.layout, stage));
                EXPECT_GE(p.weight_buffer.elements, count);
                EXPECT_TRUE(zero == 1 || p.weight_buffer.elements == count);
            }
        }
    }
}

TEST(Parameters, ABucketMayEndInsideALayer) {
    target::Job job = small_job(1, 1, 4);
    job.parallel.overlap_grad_reduce = true;
    // fc1 alone: 256 x 2 x 512. A layer in reverse: fc2 131,072, fc1 262,144, norm 256, ...
    job.parallel.bucket_parameters = 300'000;
    const auto setup = make_setup(job).value();
    ModelExecutor executor;
    const Context context{setup, executor, {}};

    const ChunkParameters p = allocate_parameters(context, 0);

    // head 262,144 and final norm 256, then fc2 of the last layer: 393,472. Then fc1, norm, qkv.
    EXPECT_EQ(p.buckets[0].gradients.elements, 262'144 + 256 + 131'072);
    EXPECT_EQ(p.buckets[1].gradients.elements, 262'144 + 256 + 256 * 3 * 256);
    const LayerWeights& last = p.weights.layers.back();
    EXPECT_EQ(p.module_buckets[last.fc2.module], (std::vector<std::size_t>{0}));
    EXPECT_EQ(p.module_buckets[last.fc1.module], (std::vector<std::size_t>{1}));
    // The norm before qkv lies in the next bucket with the projection.
    EXPECT_EQ(p.module_buckets[last.qkv.module], (std::vector<std::size_t>{2, 1}));
    EXPECT_EQ(p.module_buckets[last.projection.module], (std::vector<std::size_t>{2}));
}

}  // namespace
}  // namespace prismllm::program
