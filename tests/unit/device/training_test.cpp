// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The training step really computed: it learns, and every way to cut the job over ranks computes
// the same losses as one rank.
#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/device/rank_executor.hpp"
#include "prismllm/program/training_step.hpp"

#include "job_samples.hpp"
#include "thread_world.hpp"

namespace prismllm::device {
namespace {

using target::make_gpt_like;
using target::Precision;
using target::Recompute;

/// The vocabulary is padded.
target::Job tiny_job() {
    target::Job job = target::tiny_job();
    job.model.vocab_size = 250;
    return job;
}

void cut(target::Job& job, std::int64_t tensor, std::int64_t pipeline, std::int64_t data) {
    job.parallel.tensor = tensor;
    job.parallel.pipeline = pipeline;
    job.parallel.world_size = tensor * pipeline * data;
}

/// Text with structure to learn.
std::vector<std::byte> text() {
    std::vector<std::byte> bytes;
    const std::string words = "the quick brown fox jumps over the lazy dog; 0123456789. ";
    for (std::size_t i = 0; i < 4096; ++i) {
        bytes.push_back(static_cast<std::byte>(words[(i * i / 7 + i) % words.size()]));
    }
    return bytes;
}

/// What one rank saw.
struct RankRun {
    std::vector<double> losses;  ///< [step]
    std::int64_t peak_bytes = 0;
    std::string failure;
};

RankRun train(const program::Setup& setup, std::int64_t rank, int steps, const Training& training,
              const std::vector<std::byte>& bytes, Transport* transport) {
    RankRun run;
    const auto executor = make_rank_executor(setup, rank, training, bytes, transport);
    program::TrainingProgram program{setup, rank, *executor};
    for (int step = 0; step < steps; ++step) {
        program.step();
        run.losses.push_back(executor->end_step());
    }
    run.peak_bytes = executor->peak_bytes();
    return run;
}

/// Mean losses over the data-parallel replicas, by step.
struct WorldRun {
    std::vector<double> losses;
    std::int64_t peak_bytes = 0;  ///< of rank 0
};

WorldRun train_world(const target::Job& job, int steps, const Training& training = {}) {
    const auto setup = program::make_setup(job);
    EXPECT_TRUE(setup.has_value()) << setup.error().message;
    const auto bytes = text();
    ThreadWorld world{setup->family_list, setup->layout.world_size};
    std::vector<RankRun> runs(static_cast<std::size_t>(setup->layout.world_size));
    std::vector<std::thread> threads;
    for (std::int64_t rank = 0; rank < setup->layout.world_size; ++rank) {
        threads.emplace_back([&, rank] {
            RankRun& run = runs[static_cast<std::size_t>(rank)];
            try {
                const auto transport = world.transport(rank);
                run = train(*setup, rank, steps, training, bytes, transport.get());
            } catch (const std::exception& error) {
                run.failure = error.what();
                world.give_up();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    WorldRun all;
    all.losses.resize(static_cast<std::size_t>(steps));
    all.peak_bytes = runs.front().peak_bytes;
    const std::int64_t last = setup->layout.pipeline - 1;
    for (std::int64_t rank = 0; rank < setup->layout.world_size; ++rank) {
        const RankRun& run = runs[static_cast<std::size_t>(rank)];
        EXPECT_EQ(run.failure, "") << "rank " << rank;
        const target::Coordinates where = setup->layout.coordinates(rank);
        if (where.pipeline == last && where.tensor == 0 && run.failure.empty()) {
            for (std::size_t step = 0; step < all.losses.size(); ++step) {
                all.losses[step] += run.losses[step] / static_cast<double>(setup->layout.data);
            }
        }
    }
    return all;
}

TEST(Training, FirstLossIsThatOfGuessingAndItFalls) {
    for (const bool gpt : {false, true}) {
        target::Job job = tiny_job();
        if (gpt) {
            make_gpt_like(job);
        }
        Training training;
        training.learning_rate = 3e-3;

        const std::vector<double> losses = train_world(job, 200, training).losses;

        EXPECT_NEAR(losses.front(), std::log(250.0), 0.05);
        EXPECT_LT(losses.back(), 0.6 * losses.front());
    }
}

TEST(Training, RecomputationChangesMemoryNotNumbers) {
    target::Job job = tiny_job();
    job.training.flash_attention = false;
    job.training.hidden_dropout = 0.1;
    const WorldRun none = train_world(job, 4);
    job.training.recompute = Recompute::selective;
    const WorldRun selective = train_world(job, 4);
    job.training.recompute = Recompute::full;
    const WorldRun full = train_world(job, 4);

    EXPECT_EQ(none.losses, selective.losses);
    EXPECT_EQ(none.losses, full.losses);
    EXPECT_GT(none.peak_bytes, selective.peak_bytes);
    EXPECT_GT(selective.peak_bytes, full.peak_bytes);
}

TEST(Training, LossesDependOnNoWayToDealSamples) {
    target::Job job = tiny_job();
    job.training.hidden_dropout = 0.2;
    const std::vector<double> expected = train_world(job, 6).losses;
    for (const std::int64_t size : {2, 4}) {
        for (const std::int64_t data : {1, 2}) {
            target::Job dealt = job;
            dealt.training.micro_batch_size = size;
            cut(dealt, 2, 1, data);
            dealt.parallel.sequence = true;

            const std::vector<double> losses = train_world(dealt, 6).losses;

            for (std::size_t step = 0; step < expected.size(); ++step) {
                EXPECT_NEAR(losses[step], expected[step], 2e-5 * expected[step])
                    << "micro-batches of " << size << " on " << data << " replicas, step " << step;
            }
        }
    }
}

TEST(Training, SixteenBitStorageStaysNearFullPrecision) {
    target::Job job = tiny_job();
    const std::vector<double> exact = train_world(job, 20).losses;
    for (const Precision precision : {Precision::bf16, Precision::fp16}) {
        for (const bool fp32_gradients : {true, false}) {
            job.training.precision = precision;
            job.training.fp32_grad_reduce = fp32_gradients;

            const std::vector<double> rounded = train_world(job, 20).losses;

            // bf16 keeps 8 bits of a number: half a percent of a logit at most.
            EXPECT_NE(rounded.front(), exact.front());
            for (std::size_t step = 0; step < exact.size(); ++step) {
                EXPECT_NEAR(rounded[step], exact[step], 0.01 * exact[step]);
            }
        }
    }
}

double largest_distance(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::fabs(a[i] - b[i]));
    }
    return most;
}

TEST(Training, SumsOfRoundedPartsAreNoWorseThanRoundedSums) {
    // Four ranks round each part of a sum to bf16, one rank rounds the sum: they differ from one
    // another as much as from fp32, so only the distance to fp32 tells whether a cut is wrong.
    for (const bool gpt : {false, true}) {
        for (const bool fp32_gradients : {true, false}) {
            target::Job job = tiny_job();
            if (gpt) {
                make_gpt_like(job);
            }
            job.training.hidden_dropout = 0.5;
            job.training.fp32_grad_reduce = fp32_gradients;
            const std::vector<double> exact = train_world(job, 10).losses;
            job.training.precision = Precision::bf16;
            const std::vector<double> one = train_world(job, 10).losses;
            cut(job, 4, 1, 1);
            const std::vector<double> four = train_world(job, 10).losses;

            // Over three seeds the quotient was 0.6 to 1.7.
            EXPECT_LT(largest_distance(four, exact), 3 * largest_distance(one, exact));
            EXPECT_LT(largest_distance(one, exact), 2e-3);
        }
    }
}

TEST(Training, AnOverflowOfScaledGradientsSkipsTheUpdate) {
    target::Job job = tiny_job();
    job.training.precision = Precision::fp16;
    job.training.fp32_grad_reduce = false;
    Training training;
    training.loss_scale = 1e9;  // beyond the range of fp16
    training.learning_rate = 1;

    const std::vector<double> losses = train_world(job, 3, training).losses;

    // Nothing was learned, and nothing was spoiled: each is that of guessing.
    for (const double loss : losses) {
        EXPECT_NEAR(loss, std::log(250.0), 0.05);
    }
}

struct Layout {
    const char* name;
    std::function<void(target::Job&)> change;
};
void PrintTo(const Layout& layout, std::ostream* out) {
    *out << layout.name;
}

class EqualLosses : public testing::TestWithParam<Layout> {};

TEST_P(EqualLosses, WhateverTheLayout) {
    for (const bool gpt : {false, true}) {
        target::Job one = tiny_job();
        if (gpt) {
            make_gpt_like(one);
        }
        target::Job cut_up = one;
        GetParam().change(cut_up);
        one.training.hidden_dropout = cut_up.training.hidden_dropout;
        one.model.qk_norm = cut_up.model.qk_norm;
        one.model.kv_heads = cut_up.model.kv_heads;
        one.model.embedding_norm = cut_up.model.embedding_norm;
        // The padded vocabulary need not be the same: padding is no part of the loss.

        const std::vector<double> expected = train_world(one, 6).losses;
        const std::vector<double> losses = train_world(cut_up, 6).losses;

        // Sums in another order: some 1e-7 a step in fp32, and Adam divides by small gradients.
        for (std::size_t step = 0; step < expected.size(); ++step) {
            EXPECT_NEAR(losses[step], expected[step], 2e-5 * expected[step])
                << (gpt ? "gpt" : "llama") << ", step " << step;
        }
    }
}

const Layout layouts[] = {
    {"tensor2", [](target::Job& j) { cut(j, 2, 1, 1); }},
    {"tensor4_sequence",
     [](target::Job& j) {
         cut(j, 4, 1, 1);
         j.parallel.sequence = true;
     }},
    {"pipeline2", [](target::Job& j) { cut(j, 1, 2, 1); }},
    {"pipeline4", [](target::Job& j) { cut(j, 1, 4, 1); }},
    {"pipeline2_interleaved",
     [](target::Job& j) {
         cut(j, 1, 2, 1);
         j.parallel.virtual_pipeline = 2;
     }},
    {"pipeline2_interleaved_in_turn",
     [](target::Job& j) {
         cut(j, 1, 2, 1);
         j.parallel.virtual_pipeline = 2;
         j.parallel.overlap_p2p = false;
     }},
    {"gpipe",
     [](target::Job& j) {
         cut(j, 1, 2, 1);
         j.parallel.schedule = target::PipelineSchedule::gpipe;
     }},
    {"data2", [](target::Job& j) { cut(j, 1, 1, 2); }},
    {"data4_overlapped",
     [](target::Job& j) {
         cut(j, 1, 1, 4);
         j.parallel.overlap_grad_reduce = true;
         j.parallel.bucket_parameters = 4000;
     }},
    {"distributed_optimizer",
     [](target::Job& j) {
         cut(j, 1, 1, 2);
         j.parallel.zero_stage = 1;
     }},
    {"distributed_optimizer_overlapped",
     [](target::Job& j) {
         cut(j, 1, 1, 4);
         j.parallel.zero_stage = 1;
         j.parallel.overlap_grad_reduce = j.parallel.overlap_param_gather = true;
         j.parallel.bucket_parameters = 4000;
     }},
    {"all_of_two",
     [](target::Job& j) {
         cut(j, 2, 2, 2);
         j.parallel.sequence = true;
         j.parallel.zero_stage = 1;
         j.parallel.overlap_grad_reduce = j.parallel.overlap_param_gather = true;
     }},
    {"all_of_two_the_other_order",
     [](target::Job& j) {
         cut(j, 2, 2, 2);
         j.parallel.order = target::RankOrder::tp_cp_ep_pp_dp;
         j.parallel.virtual_pipeline = 2;
     }},
    {"scatter_gather",
     [](target::Job& j) {
         cut(j, 2, 2, 1);
         j.parallel.scatter_gather_p2p = true;
     }},
    {"full_recomputation", [](target::Job& j) { j.training.recompute = Recompute::full; }},
    {"selective_recomputation",
     [](target::Job& j) { j.training.recompute = Recompute::selective; }},
    {"unfused_attention", [](target::Job& j) { j.training.flash_attention = false; }},
    {"unfused_selective_tensor2",
     [](target::Job& j) {
         cut(j, 2, 1, 1);
         j.training.flash_attention = false;
         j.training.recompute = Recompute::selective;
     }},
    {"head_norms_tensor2",
     [](target::Job& j) {
         cut(j, 2, 1, 1);
         j.model.qk_norm = true;
     }},
    {"grouped_queries_tensor2",
     [](target::Job& j) {
         cut(j, 2, 1, 1);
         j.model.kv_heads = 2;
     }},
    {"embedding_norm_sequence",
     [](target::Job& j) {
         cut(j, 2, 1, 1);
         j.parallel.sequence = true;
         j.model.embedding_norm = true;
     }},
    {"hidden_dropout_sequence",
     [](target::Job& j) {
         cut(j, 2, 2, 1);
         j.parallel.sequence = true;
         j.training.hidden_dropout = 0.1;
     }},
    // 2 heads x 16 x 16 probabilities of a rank are as many as 16 x 32 hidden states.
    {"hidden_dropout_beside_unfused_attention",
     [](target::Job& j) {
         cut(j, 2, 1, 1);
         j.training.flash_attention = false;
         j.training.hidden_dropout = 0.1;
     }},
    {"hidden_dropout_recomputed",
     [](target::Job& j) {
         j.training.hidden_dropout = 0.1;
         j.training.recompute = Recompute::full;
     }},
};

INSTANTIATE_TEST_SUITE_P(Layouts, EqualLosses, testing::ValuesIn(layouts),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace prismllm::device
