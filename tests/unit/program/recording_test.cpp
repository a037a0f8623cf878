// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/program/recording.hpp"

#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/target/parameters.hpp"

#include "jobs.hpp"

namespace prismllm::program {
namespace {

using graph::CollectiveKind;
using graph::KernelKind;
using graph::OpKind;
using graph::TensorRole;

TEST(Recording, DenseStepExecutesTheModelsFlops) {
    target::Job job = small_job(1, 1, 1);
    job.model.vocab_size = 1024;  // a multiple of 128: nothing is padded

    const Recorded r = record(job);

    // Megatron's formula counts full attention; the fused kernels skip the masked half:
    // 6*s^2*h a layer and sequence forward and backward of 12*s^2*h, backward of fused attention
    // recomputes one product of five (10 instead of 8 units).
    const double s = 64;
    const double h = 256;
    const double layers = 8;
    const double sequences = 8;
    const double full_attention = 12 * s * s * h * layers * sequences;
    const double fused_attention = (4 + 10) * s * s * h / 2 * layers * sequences;
    const double formula =
        target::flops_per_iteration(r.setup.model, job.training, target::FlopsFormula::megatron);
    EXPECT_NEAR(r.flops(), formula - full_attention + fused_attention, 1e-9 * formula);
}

TEST(Recording, TensorParallelLayerReducesTwiceForwardAndTwiceBackward) {
    // Case 60: 7B, TP8, sequence 4,096, micro-batch 1, no sequence parallelism: all-reduces of
    // 33,554,432 B, 2 forward and 2 backward a layer.
    target::Job job = small_job(8, 1, 1);
    job.model.layers = 32;
    job.model.hidden_size = 4096;
    job.model.ffn_hidden_size = 11008;
    job.model.attention_heads = 32;
    job.model.kv_heads = 32;
    job.training.sequence_length = 4096;
    job.training.global_batch_size = 1;

    const Recorded r = record(job);

    std::int64_t large = 0;
    for (const graph::Op& op : r.ops) {
        if (op.kind == OpKind::communicate && op.layer >= 0) {
            const graph::Communication& call = r.interner.communications()[op.index];
            EXPECT_EQ(call.kind, CollectiveKind::all_reduce);
            EXPECT_EQ(payload_bytes(call, 8), 33'554'432);
            ++large;
        }
    }
    EXPECT_EQ(large, 32 * 4);
}

TEST(Recording, SequenceParallelismGathersAndScattersInstead) {
    target::Job job = small_job(4, 1, 1);
    job.parallel.sequence = true;

    const Recorded r = record(job);

    // A layer and micro-batch: forward 2 gathers, 2 scatters; backward 2 gathers of gradients,
    // 2 of saved inputs, 2 scatters. Embedding: 1 scatter, 1 gather; head: 2 gathers, 1 scatter.
    const std::int64_t micro = 8;
    EXPECT_EQ(r.count(CollectiveKind::all_gather, r.setup.families.tensor),
              micro * (8 * 6 + 1 + 2));
    EXPECT_EQ(r.count(CollectiveKind::reduce_scatter, r.setup.families.tensor),
              micro * (8 * 4 + 1 + 1));
    // three all-reduces of the loss a micro-batch, one of the norm gradients
    EXPECT_EQ(r.count(CollectiveKind::all_reduce, r.setup.families.tensor), micro * 3 + 1);
}

/// Calls of each batch on the pipeline stream, in order; without a batch number a call is alone.
std::vector<int> transfers_together(const Recorded& r) {
    std::vector<int> sizes;
    std::uint32_t open = 0;
    for (const graph::Op& op : r.ops) {
        if (op.kind == OpKind::communicate && op.stream == static_cast<int>(Stream::pipeline)) {
            if (op.instance == 0 || op.instance != open) {
                sizes.push_back(0);
            }
            open = op.instance;
            ++sizes.back();
        }
    }
    return sizes;
}

TEST(Recording, InterleavedTransfersWithoutOverlapGoInOneBatchAPair) {
    target::Job job = small_job(1, 4, 1);
    job.parallel.virtual_pipeline = 2;
    job.parallel.overlap_p2p = false;

    // Stage 1 of 4, 2 chunks, 8 micro-batches: 16 actions a direction, 2 * 2 + 4 = 8 of warm-up.
    const Recorded r = record(job, 1);

    std::vector<int> expected = {1};        // first input
    expected.insert(expected.end(), 7, 2);  // warm-up: output, next input
    expected.push_back(3);                  // and the first gradient
    expected.insert(expected.end(), 7, 4);  // steady state: both directions at once
    expected.push_back(3);                  // no input is left to ask for
    expected.insert(expected.end(), 7, 2);  // cool-down
    expected.push_back(1);                  // last gradient handed on
    EXPECT_EQ(transfers_together(r), expected);
}

TEST(Recording, InterleavedReceiveIsPostedAfterTheActionBeforeAndAwaitedByTheNextOfItsDirection) {
    target::Job job = small_job(1, 4, 1);
    job.parallel.virtual_pipeline = 2;

    const Recorded r = record(job, 1);

    // Forward activations are received from the stage before on its stream. In front of each of
    // them the compute stream has done as many forward passes as receives were posted before.
    std::int64_t received = 0;
    std::int64_t forwards = 0;  // ended: seen by the attention kernel of their one layer
    for (const graph::Op& op : r.ops) {
        if (op.kind == OpKind::communicate) {
            const graph::Communication& call = r.interner.communications()[op.index];
            if (call.kind == CollectiveKind::recv && call.peer_delta == -1) {
                EXPECT_EQ(forwards, received);
                EXPECT_EQ(op.stream, static_cast<int>(received == 0 ? Stream::pipeline
                                                                    : Stream::pipeline_prev));
                ++received;
            }
        } else if (op.kind == OpKind::kernel && op.phase == graph::Phase::forward &&
                   r.interner.kernels()[op.index].kind == KernelKind::attention_forward) {
            ++forwards;
        }
    }
    EXPECT_EQ(received, 16);
    EXPECT_EQ(forwards, 16);
}

TEST(Recording, PlainPipelineJoinsTransfersOfOppositeDirectionsOnly) {
    // Stage 1 of 4, 8 micro-batches, 2 forwards of warm-up: each receives, then sends; the third
    // receives; 6 pairs: output and gradient, gradient and next input; 2 of cool-down.
    const Recorded r = record(small_job(1, 4, 1), 1);

    std::vector<int> expected(5, 1);
    expected.insert(expected.end(), 11, 2);
    expected.insert(expected.end(), 5, 1);
    EXPECT_EQ(transfers_together(r), expected);
}

TEST(Recording, EveryTensorIsReleasedOnceAndOnlyStateStays) {
    for (const auto recompute :
         {target::Recompute::none, target::Recompute::selective, target::Recompute::full}) {
        for (const bool flash : {true, false}) {
            target::Job job = small_job(2, 2, 2);
            job.parallel.sequence = true;
            job.training.recompute = recompute;
            job.training.flash_attention = flash;
            for (const std::int64_t rank : {0, 4}) {
                const Recorded r = record(job, rank);
                std::map<std::uint32_t, std::uint32_t> live;
                for (const graph::Op& op : r.ops) {
                    if (op.kind == OpKind::allocate) {
                        EXPECT_TRUE(live.emplace(op.instance, op.index).second);
                    } else if (op.kind == OpKind::release) {
                        ASSERT_EQ(live.count(op.instance), 1U);
                        EXPECT_EQ(live[op.instance], op.index);
                        live.erase(op.instance);
                    }
                }
                for (const auto& [instance, index] : live) {
                    const TensorRole role = r.interner.tensors()[index].role;
                    EXPECT_TRUE(role == TensorRole::weight || role == TensorRole::gradient ||
                                role == TensorRole::optimizer_state)
                        << r.interner.tensors()[index].name;
                }
            }
        }
    }
}

TEST(Recording, EventsAreRecordedOnceAndWaitedForAfterwards) {
    target::Job job = small_job(2, 2, 2);
    job.model.layers = 8;
    job.parallel.virtual_pipeline = 2;
    job.parallel.zero_stage = 1;
    job.parallel.overlap_grad_reduce = true;
    job.parallel.overlap_param_gather = true;

    const Recorded r = record(job);

    std::set<std::uint32_t> recorded;
    for (const graph::Op& op : r.ops) {
        if (op.kind == OpKind::record) {
            EXPECT_TRUE(recorded.insert(op.instance).second);
        } else if (op.kind == OpKind::wait) {
            EXPECT_EQ(recorded.count(op.instance), 1U);
        }
    }
    EXPECT_FALSE(recorded.empty());
}

TEST(Recording, FullRecomputationAddsOneForwardOfTheLayers) {
    target::Job job = small_job(1, 1, 1);
    const Recorded none = record(job);
    job.training.recompute = target::Recompute::full;
    const Recorded full = record(job);

    double forward = 0;
    for (const graph::Op& op : none.ops) {
        if (op.kind == OpKind::kernel && op.phase == graph::Phase::forward && op.layer >= 0) {
            const graph::Kernel& k = none.interner.kernels()[op.index];
            if (k.kind == KernelKind::gemm || k.kind == KernelKind::attention_forward) {
                forward += k.flops;
            }
        }
    }
    EXPECT_DOUBLE_EQ(full.flops(), none.flops() + forward);
}

TEST(Recording, RanksThatOneRepresentativeStandsForRecordTheSame) {
    target::Job job = small_job(2, 2, 4);
    job.parallel.sequence = true;
    job.parallel.zero_stage = 1;
    const auto setup = make_setup(job).value();
    graph::Interner interner;

    std::int64_t covered = 0;
    for (const Representative& r : representatives_of(setup)) {
        const auto expected = record_slice(setup, r.representative, interner);
        for (std::int64_t rank = r.first; rank < r.first + r.count; ++rank) {
            EXPECT_EQ(record_slice(setup, rank, interner), expected) << "rank " << rank;
            ++covered;
        }
    }

    EXPECT_EQ(covered, 16);
}

TEST(Recording, DistributedOptimizerScattersGradientsAndGathersWeights) {
    target::Job job = small_job(1, 1, 4);
    const Recorded plain = record(job);
    job.parallel.zero_stage = 1;
    const Recorded sharded = record(job);

    const auto dp = plain.setup.families.data_context;
    EXPECT_EQ(plain.count(CollectiveKind::all_reduce, dp), 1);  // one bucket without overlap
    EXPECT_EQ(sharded.count(CollectiveKind::reduce_scatter, dp), 1);
    EXPECT_EQ(sharded.count(CollectiveKind::all_gather, dp), 1);
}

TEST(Recording, OverlapCutsGradientsIntoBuckets) {
    target::Job job = small_job(1, 1, 4);
    job.parallel.zero_stage = 1;
    job.parallel.overlap_grad_reduce = true;
    job.parallel.bucket_parameters = 1;  // every tensor closes a bucket

    const Recorded r = record(job);

    // word table; 8 layers of 4 matrices and 2 norms; final norm, head
    EXPECT_EQ(r.count(CollectiveKind::reduce_scatter, r.setup.families.data_context),
              1 + 8 * 6 + 2);
}

TEST(Recording, ParametersOfAStageAgreeWithTheCount) {
    target::Job job = small_job(2, 2, 1);
    for (const std::int64_t stage : {0, 1}) {
        const Recorded r = record(job, stage * 2);
        std::int64_t weights = 0;
        for (const graph::Op& op : r.ops) {
            if (op.kind == OpKind::allocate &&
                r.interner.tensors()[op.index].role == TensorRole::weight) {
                weights += r.interner.tensors()[op.index].bytes / 2;
            }
        }
        EXPECT_EQ(weights, target::parameters_on_stage(r.setup.model, r.setup.layout, stage));
    }
}

TEST(Setup, RefusesWhatTheStepDoesNotDoAndNamesTheKeys) {
    target::Job job = small_job(1, 1, 2);
    job.parallel.context = 2;
    job.parallel.world_size *= 2;
    job.model.experts = 4;
    job.model.experts_per_token = 1;
    job.model.attention_sinks = true;

    const auto setup = make_setup(job);

    ASSERT_FALSE(setup.has_value());
    EXPECT_EQ(setup.error().code, ErrorCode::bad_deck);
    EXPECT_NE(setup.error().message.find("parallel.context_parallel"), std::string::npos);
    EXPECT_NE(setup.error().message.find("model.experts above 0"), std::string::npos);
    EXPECT_NE(setup.error().message.find("model.attention_sinks"), std::string::npos);
}

}  // namespace
}  // namespace prismllm::program
