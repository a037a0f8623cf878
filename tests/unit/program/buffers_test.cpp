// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What every op reads was written before, by an op it waits for; every tensor lives exactly as
// long as it is needed. Over settings that change which tensors there are.
#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "prismllm/program/training_step.hpp"
#include "prismllm/target/parameters.hpp"

#include "checking_executor.hpp"
#include "jobs.hpp"

namespace prismllm::program {
namespace {

using target::Precision;
using target::Recompute;

struct Variant {
    const char* name;
    std::function<void(target::Job&)> change;
};
void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.name;
}

/// TP2, PP2, DP2 with sequence parallelism and 1F1B; variants change it.
target::Job base_job() {
    target::Job job = small_job(2, 2, 2);
    job.parallel.sequence = true;
    job.training.global_batch_size = 8;
    return job;
}

void distributed_overlapped(target::Job& job) {
    job.parallel.zero_stage = 1;
    job.parallel.overlap_grad_reduce = true;
    job.parallel.overlap_param_gather = true;
    job.parallel.bucket_parameters = 100'000;
}

class Buffers : public testing::TestWithParam<Variant> {};

TEST_P(Buffers, AreWrittenBeforeTheyAreReadAndLiveNoLongerThanTheStep) {
    target::Job job = base_job();
    GetParam().change(job);
    const auto setup = make_setup(job);
    ASSERT_TRUE(setup.has_value()) << setup.error().message;
    std::int64_t normed = 0;
    constexpr int steps = 2;
    for (std::int64_t rank = 0; rank < job.parallel.world_size; ++rank) {
        CheckingExecutor executor{*setup};
        TrainingProgram program{*setup, rank, executor};
        for (int step = 0; step < steps; ++step) {
            program.step();

            ASSERT_TRUE(executor.problems().empty())
                << "rank " << rank << ", step " << step << ": " << executor.problems().front();
            ASSERT_TRUE(executor.leftovers().empty())
                << "rank " << rank << ", step " << step << ": " << *executor.leftovers().begin();
        }
        normed += executor.normed_elements();
    }
    // The gradient's norm is that of the model, each parameter once (the vocabulary of 1,024 needs
    // no padding); without the distributed optimizer each replica has its own.
    const std::int64_t norms = steps * (job.parallel.zero_stage > 0 ? 1 : setup->layout.data);
    EXPECT_EQ(normed, norms * target::count_parameters(setup->model).total);
}

const Variant variants[] = {
    {"plain", [](target::Job&) {}},
    {"no_sequence_parallelism", [](target::Job& j) { j.parallel.sequence = false; }},
    {"single_rank", [](target::Job& j) { j = small_job(1, 1, 1); }},
    {"gpt", make_gpt_like},
    {"gpt_without_sequence_parallelism",
     [](target::Job& j) {
         make_gpt_like(j);
         j.parallel.sequence = false;
     }},
    {"gpt_tied_on_one_stage",
     [](target::Job& j) {
         j = small_job(2, 1, 2);
         make_gpt_like(j);
     }},
    {"fp16",
     [](target::Job& j) {
         make_gpt_like(j);
         j.training.precision = Precision::fp16;
         j.training.fp32_grad_reduce = false;
         j.training.flash_attention = false;
     }},
    {"fp16_distributed",
     [](target::Job& j) {
         distributed_overlapped(j);
         j.training.precision = Precision::fp16;
     }},
    {"bf16_gradients",
     [](target::Job& j) {
         distributed_overlapped(j);
         j.training.fp32_grad_reduce = false;
     }},
    {"fp32", [](target::Job& j) { j.training.precision = Precision::fp32; }},
    {"fp32_distributed",
     [](target::Job& j) {
         distributed_overlapped(j);
         j.training.precision = Precision::fp32;
     }},
    {"fp8", [](target::Job& j) { j.training.precision = Precision::fp8; }},
    {"embedding_norm", [](target::Job& j) { j.model.embedding_norm = true; }},
    {"embedding_norm_and_positions",
     [](target::Job& j) {
         make_gpt_like(j);
         j.model.embedding_norm = true;
     }},
    {"head_norms", [](target::Job& j) { j.model.qk_norm = true; }},
    {"head_norms_recomputed",
     [](target::Job& j) {
         j.model.qk_norm = true;
         j.training.recompute = Recompute::selective;
         j.training.flash_attention = false;
     }},
    {"distributed_overlapped", distributed_overlapped},
    {"distributed_gpt_overlapped",
     [](target::Job& j) {
         make_gpt_like(j);
         distributed_overlapped(j);
     }},
    {"distributed_after_the_backward", [](target::Job& j) { j.parallel.zero_stage = 1; }},
    {"selective_recompute", [](target::Job& j) { j.training.recompute = Recompute::selective; }},
    {"full_recompute", [](target::Job& j) { j.training.recompute = Recompute::full; }},
    {"full_recompute_gpt_unfused",
     [](target::Job& j) {
         make_gpt_like(j);
         j.training.recompute = Recompute::full;
         j.training.flash_attention = false;
     }},
    {"interleaved",
     [](target::Job& j) {
         j.parallel.virtual_pipeline = 2;
         distributed_overlapped(j);
     }},
    {"interleaved_gpt_full_recompute",
     [](target::Job& j) {
         make_gpt_like(j);
         j.parallel.virtual_pipeline = 2;
         j.training.recompute = Recompute::full;
     }},
    {"interleaved_in_turn",
     [](target::Job& j) {
         j.parallel.virtual_pipeline = 2;
         j.parallel.overlap_p2p = false;
     }},
    {"hidden_dropout",
     [](target::Job& j) {
         make_gpt_like(j);
         j.model.embedding_norm = true;
         j.training.hidden_dropout = 0.1;
     }},
    {"hidden_dropout_recomputed",
     [](target::Job& j) {
         j.training.hidden_dropout = 0.1;
         j.training.recompute = Recompute::full;
     }},
    {"gpipe", [](target::Job& j) { j.parallel.schedule = target::PipelineSchedule::gpipe; }},
    {"scatter_gather_p2p",
     [](target::Job& j) {
         make_gpt_like(j);
         j.parallel.sequence = false;
         j.parallel.scatter_gather_p2p = true;
     }},
    {"scatter_gather_p2p_interleaved",
     [](target::Job& j) {
         j.parallel.sequence = false;
         j.parallel.scatter_gather_p2p = true;
         j.parallel.virtual_pipeline = 2;
     }},
    {"grouped_queries", [](target::Job& j) { j.model.kv_heads = 2; }},
};

INSTANTIATE_TEST_SUITE_P(Settings, Buffers, testing::ValuesIn(variants),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace prismllm::program
