// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/target/parameters.hpp"

#include <gtest/gtest.h>

#include "jobs.hpp"
#include "published_models.hpp"

namespace prismllm::target {
namespace {

TEST(CountParameters, EqualsThePublishedCountOfEveryDenseModel) {
    int dense = 0;
    for (const Row& row : published_models()) {
        if (row.at("kind") != "dense") {
            continue;
        }
        ++dense;

        const ParameterCount count = count_parameters(model_of(row));

        EXPECT_EQ(count.total, number(row, "params_exact")) << row.at("model");
        EXPECT_EQ(count.layer, number(row, "params_per_layer")) << row.at("model");
    }
    EXPECT_EQ(dense, 63);
}

Model llama2_70b() {
    Model model;
    model.layers = 80;
    model.hidden_size = 8192;
    model.ffn_hidden_size = 28672;
    model.attention_heads = 64;
    model.kv_heads = 8;
    model.vocab_size = 32000;
    model.gated_mlp = true;
    return model;
}

/// Llama-2-70B on 32 GPUs as in hpcaitech/ColossalAI#5068.
Layout llama2_70b_on_32(std::int64_t tensor, std::int64_t pipeline) {
    Job job;
    job.model = llama2_70b();
    job.parallel.world_size = 32;
    job.parallel.tensor = tensor;
    job.parallel.pipeline = pipeline;
    job.training.global_batch_size = 32;
    job.training.sequence_length = 4096;
    return layout_of(job).value();
}

TEST(CountParameters, OfLlama70BIsDecimalNotBinary) {
    const ParameterCount count = count_parameters(llama2_70b());

    EXPECT_EQ(count.total, 68'976'648'192);
    EXPECT_EQ(count.layer, 855'654'400);
    EXPECT_EQ(count.embedding, 262'144'000);  // 32,000 x 8,192
    EXPECT_EQ(count.head, 262'144'000);
    EXPECT_EQ(count.final_norm, 8192);
}

// A layer of one of 4 ranks: QKV 8,192 x (16 + 2 x 2) x 128 and projection 16 x 128 x 8,192
// make 37,748,736; the MLP 3 x 8,192 x 7,168 = 176,160,768; two norms 16,384. The vocabulary
// pads to a multiple of 512, 32,256, of which a rank holds 8,064 rows, in and out.
TEST(ParametersOnStage, OfLlama70BUnderTp4DoNotFit80GB) {
    const std::int64_t layer = 37'748'736 + 176'160'768 + 16'384;
    const std::int64_t expected = 80 * layer + 2 * 8064 * 8192 + 8192;

    const std::int64_t held = parameters_on_stage(llama2_70b(), llama2_70b_on_32(4, 1), 0);

    EXPECT_EQ(held, expected);
    // fp16 weights and gradients, 12 bytes of optimizer state over 8 replicas: 94.8 GB.
    EXPECT_NEAR(static_cast<double>(held) * (4 + 12 / 8.0), 94.8e9, 0.1e9);
}

TEST(ParametersOnStage, OfLlama70BUnderTp8Pp2Fit) {
    const std::int64_t layer = 8192 * (8 + 2) * 128 + 8 * 128 * 8192 + 3 * 8192 * 3584 + 16'384;
    const std::int64_t table = 4096 * 8192;  // 32,768 padded rows over 8 ranks
    const Layout layout = llama2_70b_on_32(8, 2);

    EXPECT_EQ(parameters_on_stage(llama2_70b(), layout, 0), 40 * layer + table);
    EXPECT_EQ(parameters_on_stage(llama2_70b(), layout, 1), 40 * layer + table + 8192);
    EXPECT_NEAR(static_cast<double>(40 * layer + table) * (4 + 12 / 2.0), 43.1e9, 0.1e9);
}

/// The toy of NVIDIA-NeMo/Megatron-Bridge#5077: 8 dense layers dealt 1, 2, 2, 3. Its shape is
/// inferred from the two figures given there: 9,952 - 6,792 = 3,160 is a layer and 3/4 of a
/// final LayerNorm, which fits hidden 16 (12 x 16^2 + 4 x 16 = 3,136; 2 x 16 = 32), and leaves
/// 512 = 32 x 16 for the vocabulary table.
Job uneven_toy() {
    Job job;
    job.model.layers = 8;
    job.model.hidden_size = 16;
    job.model.attention_heads = 4;
    job.model.vocab_size = 32;
    job.model.norm = NormKind::layernorm;
    job.parallel.world_size = 4;
    job.parallel.pipeline = 4;
    job.parallel.first_stage_layers = 1;
    job.parallel.last_stage_layers = 3;
    job.parallel.vocab_padding = 1;
    job.training.global_batch_size = 4;
    job.training.sequence_length = 8;
    return job;
}

TEST(ParametersOnStage, OfUnevenStagesAreEachStagesOwn) {
    const Job job = uneven_toy();
    const Layout layout = layout_of(job).value();

    EXPECT_EQ(count_parameters(job.model).layer, 3136);
    EXPECT_EQ(parameters_on_stage(job.model, layout, 0), 1 * 3136 + 512);
    EXPECT_EQ(parameters_on_stage(job.model, layout, 1), 2 * 3136);
    EXPECT_EQ(parameters_on_stage(job.model, layout, 2), 2 * 3136);
    EXPECT_EQ(parameters_on_stage(job.model, layout, 3), 9952);  // 3 x 3,136 + 32 + 512
}

TEST(ParametersOnStage, SumToTheModelOverStages) {
    Job job = uneven_toy();
    const Layout layout = layout_of(job).value();
    std::int64_t sum = 0;

    for (std::int64_t stage = 0; stage < 4; ++stage) {
        sum += parameters_on_stage(job.model, layout, stage);
    }

    EXPECT_EQ(sum, count_parameters(job.model).total);
}

TEST(ParametersOnStage, HoldATiedHeadAgainOnTheLastStage) {
    Job job = uneven_toy();
    job.model.tied_embeddings = true;
    const Layout layout = layout_of(job).value();

    EXPECT_EQ(parameters_on_stage(job.model, layout, 3), 9952);
    EXPECT_EQ(count_parameters(job.model).total, 8 * 3136 + 512 + 32);
}

TEST(ParametersOnStage, HoldATiedHeadOnceWithoutPipeline) {
    Job job = uneven_toy();
    job.model.tied_embeddings = true;
    job.parallel.pipeline = 1;
    job.parallel.first_stage_layers = 0;
    job.parallel.last_stage_layers = 0;
    const Layout layout = layout_of(job).value();

    EXPECT_EQ(parameters_on_stage(job.model, layout, 0), count_parameters(job.model).total);
}

TEST(ParametersOnStage, AddUpTheChunksOfAnInterleavedStage) {
    Job job = uneven_toy();
    job.parallel.first_stage_layers = 0;
    job.parallel.last_stage_layers = 0;
    job.parallel.virtual_pipeline = 2;
    const Layout layout = layout_of(job).value();

    EXPECT_EQ(parameters_on_stage(job.model, layout, 0), 2 * 3136 + 512);
    EXPECT_EQ(parameters_on_stage(job.model, layout, 3), 2 * 3136 + 32 + 512);
}

// Under TP2 the biases behind the sums (projection and MLP output, 16 each), the four vectors
// of the two norms, the positions, and the embedding and final norm lie whole on both ranks.
TEST(ParametersOnStage, KeepUnshardedParametersWholeOnEveryTensorRank) {
    Job job = uneven_toy();
    job.model.positions = PositionKind::learned;
    job.model.max_positions = 8;
    job.model.embedding_norm = true;
    job.model.qkv_bias = job.model.attention_output_bias = job.model.mlp_bias = true;
    job.model.qk_norm = true;
    job.parallel.pipeline = 1;
    job.parallel.first_stage_layers = job.parallel.last_stage_layers = 0;
    job.parallel.tensor = 2;
    const Layout layout = layout_of(job).value();
    const std::int64_t whole_of_layer = 16 + 16 + 4 * 16 + 2 * 4;  // 2 x head_dim of qk_norm
    const std::int64_t whole = 8 * whole_of_layer + 8 * 16 + 32 + 32;

    const std::int64_t held = parameters_on_stage(job.model, layout, 0);

    EXPECT_EQ(2 * held - whole, count_parameters(job.model).total);
}

// pytorch/torchtitan#2577: under TP8 with 2 KV heads a rank holds one head, not a quarter.
TEST(ParametersOnStage, CountCopiedKvHeads) {
    Job job = small_job();
    job.model.kv_heads = 2;
    job.model.layers = 1;
    job.model.hidden_size = 1024;
    job.parallel.tensor = 8;
    job.parallel.pipeline = 1;
    job.parallel.kv_replication = true;
    const Layout layout = layout_of(job).value();
    const std::int64_t table = 51200 / 8 * 1024;
    const std::int64_t attention = 1024 * (2 + 2 * 1) * 64 + 2 * 64 * 1024;
    const std::int64_t mlp = 2 * 1024 * 512;

    EXPECT_EQ(parameters_on_stage(job.model, layout, 0),
              attention + mlp + 2 * 1024 + 2 * table + 1024);
}

}  // namespace
}  // namespace prismllm::target
