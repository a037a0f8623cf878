// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "prismllm/target/parameters.hpp"

#include "jobs.hpp"
#include "published_models.hpp"

namespace prismllm::target {
namespace {

// Rows with a low-rank query or key (multi-head latent attention) are shapes of another kind.
TEST(CountParameters, EqualsThePublishedCountOfEveryModelWithExperts) {
    int models = 0;
    for (const Row& row : published_models()) {
        if (row.at("kind") != "moe" || !row.at("kv_lora").empty()) {
            continue;
        }
        ++models;
        // One key, as in Megatron-LM: biases of the experts and of the router go together.
        EXPECT_EQ(row.at("router_bias"), row.at("mlp_bias")) << row.at("model");

        const ParameterCount count = count_parameters(model_of(row));

        EXPECT_EQ(count.total, number(row, "params_exact")) << row.at("model");
        EXPECT_EQ(count.active, number(row, "params_active")) << row.at("model");
        EXPECT_EQ(count.layer, number(row, "params_per_layer")) << row.at("model");
    }
    EXPECT_EQ(models, 14);
}

Job mixtral_8x7b() {
    Job job;
    job.model.layers = 32;
    job.model.hidden_size = 4096;
    job.model.ffn_hidden_size = 14336;
    job.model.attention_heads = 32;
    job.model.kv_heads = 8;
    job.model.vocab_size = 32000;
    job.model.gated_mlp = true;
    job.model.experts = 8;
    job.model.experts_per_token = 2;
    job.parallel.world_size = 16;
    job.parallel.tensor = 2;
    job.parallel.sequence = true;
    job.parallel.expert = 4;
    job.training.global_batch_size = 32;
    job.training.sequence_length = 4096;
    return job;
}

// Under TP2 a rank holds QKV 4,096 x (16 + 2 x 4) x 128 and the projection 16 x 128 x 4,096,
// whole norms and router, and 8 / 4 experts of 3 x 4,096 x 14,336, cut as expert_tensor says.
TEST(ParametersOnStage, HoldARanksShareOfTheExperts) {
    Job job = mixtral_8x7b();
    const std::int64_t expert = 3LL * 4096 * 14336;
    const std::int64_t others = 12'582'912 + 8'388'608 + 2 * 4096 + 4096 * 8;
    const std::int64_t ends = 2LL * 16000 * 4096 + 4096;  // 32,000 rows over 2 ranks, in and out

    job.parallel.expert_tensor = 1;
    EXPECT_EQ(parameters_on_stage(job.model, layout_of(job).value(), 0),
              32 * (others + 2 * expert) + ends);

    job.parallel.expert_tensor = 0;  // as tensor_parallel: each expert on two ranks
    EXPECT_EQ(parameters_on_stage(job.model, layout_of(job).value(), 0),
              32 * (others + expert) + ends);
}

// The first stage holds both dense layers and one with experts, the second two with experts.
TEST(ParametersOnStage, CountDenseLayersWhereTheyStand) {
    Job job = mixtral_8x7b();
    job.model.layers = 5;
    job.model.first_dense_layers = 2;
    job.model.expert_ffn_hidden_size = 1024;
    job.model.shared_expert_ffn_hidden_size = 2048;
    job.model.shared_expert_gate = job.model.router_correction_bias = true;
    job.parallel.world_size = 2;
    job.parallel.tensor = job.parallel.expert = 1;
    job.parallel.sequence = false;
    job.parallel.pipeline = 2;
    job.parallel.stage_layers = {3, 2};
    const Layout layout = layout_of(job).value();
    const std::int64_t attention = 4096LL * (32 + 2 * 8) * 128 + 4096LL * 4096 + 2 * 4096;
    const std::int64_t dense = attention + 3LL * 4096 * 14336;
    const std::int64_t routed = 4096 * 8 + 8 + 8 * 3LL * 4096 * 1024;
    const std::int64_t mixed = attention + routed + 3LL * 4096 * 2048 + 4096;
    const std::int64_t table = 32000LL * 4096;
    const ParameterCount count = count_parameters(job.model);

    EXPECT_EQ(parameters_on_stage(job.model, layout, 0), 2 * dense + mixed + table);
    EXPECT_EQ(parameters_on_stage(job.model, layout, 1), 2 * mixed + table + 4096);
    EXPECT_EQ(count.dense_layer, dense);
    EXPECT_EQ(count.layer, mixed);
    EXPECT_EQ(count.total, 2 * dense + 3 * mixed + 2 * table + 4096);
    EXPECT_EQ(count.active, count.total - 3 * (8 - 2) * 3LL * 4096 * 1024);
}

// 6 FLOPs a token and weight met: attention, two of eight experts, the head.
TEST(Flops, OfExpertLayersCountTheExpertsThatATokenMeets) {
    Job job = mixtral_8x7b();
    const double tokens = 32.0 * 4096;
    const double attention = 4096.0 * 128 * (2 * 32 + 2 * 8);
    const double met = 2 * 3.0 * 4096 * 14336;
    const double scores = 12.0 * 32 * 4096 * 4096;  // a token: 12 L a d s
    const double megatron = tokens * (6 * (32 * (attention + met) + 4096.0 * 32000) + scores);

    EXPECT_DOUBLE_EQ(flops_per_iteration(job.model, job.training, FlopsFormula::megatron),
                     megatron);

    // All active parameters but the input table: router and norms too.
    const double active = 12'879'925'248.0 - 32000.0 * 4096;
    EXPECT_DOUBLE_EQ(flops_per_iteration(job.model, job.training, FlopsFormula::palm),
                     tokens * (6 * active + scores));
}

TEST(Flops, OfDenseFirstLayersAndSharedExpertsCountBoth) {
    Job job = mixtral_8x7b();
    const auto flops = [&] {
        return flops_per_iteration(job.model, job.training, FlopsFormula::megatron);
    };
    const double all_experts = flops();
    const double tokens = 32.0 * 4096;

    job.model.first_dense_layers = 1;  // one MLP as wide as an expert, where two were met
    EXPECT_DOUBLE_EQ(flops(), all_experts - tokens * 6 * 3 * 4096 * 14336);

    job.model.first_dense_layers = 0;
    job.model.shared_expert_ffn_hidden_size = 1024;
    EXPECT_DOUBLE_EQ(flops(), all_experts + tokens * 6 * 32 * 3 * 4096 * 1024);
}

}  // namespace
}  // namespace prismllm::target
