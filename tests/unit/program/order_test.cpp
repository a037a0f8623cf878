// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// In which order the parts of a step issue kernels and collectives, written as letters.
#include <string>

#include <gtest/gtest.h>

#include "prismllm/program/kernels.hpp"

#include "jobs.hpp"

namespace prismllm::program {
namespace {

using graph::CollectiveKind;
using graph::KernelKind;
using graph::OpKind;
using graph::Phase;

char letter(const graph::Kernel& kernel) {
    switch (kernel.kind) {
        case KernelKind::gemm:
            return "fdw"[kernel.shape[4]];  // forward, dgrad, wgrad
        case KernelKind::fill:
            return '0';
        case KernelKind::copy:
            return 'c';
        case KernelKind::elementwise:
            return '+';
        case KernelKind::embedding_forward:
            return 'e';
        case KernelKind::embedding_backward:
            return 'b';
        case KernelKind::norm_forward:
            return 'n';
        case KernelKind::norm_backward:
            return 'm';
        case KernelKind::l2_norm:
            return 'l';
        case KernelKind::adam:
            return 'a';
        case KernelKind::cross_entropy_forward:
            return 'x';
        case KernelKind::cross_entropy_backward:
            return 'y';
        default:
            return '.';
    }
}

char letter(const graph::Communication& call) {
    switch (call.kind) {
        case CollectiveKind::all_gather:
            return 'G';
        case CollectiveKind::reduce_scatter:
            return 'S';
        case CollectiveKind::all_reduce:
            return call.reduce == graph::ReduceOp::max ? 'M' : 'R';
        default:
            return '?';
    }
}

/// One letter an op; '|': the compute stream waits. Ops of the first micro-batch that `wanted`
/// picks, in issue order.
template <class Wanted>
std::string letters(const Recorded& r, const Wanted& wanted) {
    std::string text;
    for (const graph::Op& op : r.ops) {
        if (op.micro_batch > 0 || !wanted(op)) {
            continue;
        }
        if (op.kind == OpKind::kernel) {
            text += letter(r.interner.kernels()[op.index]);
        } else if (op.kind == OpKind::communicate) {
            text += letter(r.interner.communications()[op.index]);
        } else if (op.kind == OpKind::wait && op.stream == 0) {
            text += '|';
        }
    }
    return text;
}

std::string without(std::string text, const std::string& some) {
    std::erase_if(text, [&](char c) { return some.find(c) != std::string::npos; });
    return text;
}

std::string of_phase(const Recorded& r, Phase phase) {
    return letters(r, [&](const graph::Op& op) { return op.phase == phase && op.layer < 0; });
}

std::string backward_of_a_layer(const target::Job& job) {
    const Recorded r = record(job);
    const auto all = letters(
        r, [](const graph::Op& op) { return op.phase == Phase::backward && op.layer == 1; });
    return without(all, ".+m");
}

TEST(Order, SequenceParallelCollectivesRunBesideTheProductsThatDoNotNeedThem) {
    target::Job job = small_job(2, 1, 1);
    job.parallel.sequence = true;

    // Row-parallel: gather the gradient, wait, both products. Column-parallel: the input is
    // gathered beside dgrad, the input gradient scattered beside wgrad.
    EXPECT_EQ(backward_of_a_layer(job), "G|dwGd|Sw|G|dwGd|Sw|");
}

TEST(Order, TensorParallelAllReduceRunsBesideTheWeightGradient) {
    EXPECT_EQ(backward_of_a_layer(small_job(2, 1, 1)), "dwdRw|dwdRw|");
}

TEST(Order, LossReducesTheMaximumBeforeAndTwoSumsAfterTheExponentials) {
    const Recorded r = record(small_job(2, 1, 1));

    const std::string forward = of_phase(r, Phase::forward);

    // word lookup and its sum; final norm, logits, maximum, exponentials, loss
    EXPECT_EQ(forward, "eR|nfxM|xR|R|+");
    EXPECT_EQ(of_phase(r, Phase::backward).substr(0, 5), "ydRw|");
}

TEST(Order, LearnedPositionsAreAddedToTheWholeSequenceAndThenCut) {
    target::Job job = small_job(2, 1, 1);
    make_gpt_like(job);
    job.model.tied_embeddings = false;
    job.parallel.sequence = true;
    job.model.embedding_norm = true;

    const Recorded r = record(job);

    // words, all-reduce, positions, sum, own part of the sequence, norm
    EXPECT_EQ(of_phase(r, Phase::forward).substr(0, 7), "eR|e+cn");
    // norm, its scale and shift to their main gradients, gather, and for positions and words:
    // clear, scatter rows, add to the main gradient
    const std::string backward = of_phase(r, Phase::backward);
    EXPECT_EQ(backward.substr(backward.size() - 11), "m++G|0b+0b+");
}

TEST(Order, WordsAloneAreReduceScattered) {
    target::Job job = small_job(2, 1, 1);
    job.parallel.sequence = true;

    EXPECT_EQ(of_phase(record(job), Phase::forward).substr(0, 3), "eS|");
}

TEST(Order, TiedTableOfOneStageGetsZerosThatTheEmbeddingAddsTo) {
    target::Job job = small_job(1, 1, 1);
    job.model.tied_embeddings = true;

    const std::string backward = of_phase(record(job), Phase::backward);

    // cross entropy, products, zeros, final norm and its main gradient; clear, scatter rows, add
    // to zeros, add to main
    EXPECT_EQ(backward, "ydw0m+0b++");
}

TEST(Order, Fp16CopiesUnscalesAndAgreesOnInfinitiesBeforeTheNorm) {
    target::Job job = small_job(1, 2, 2);
    job.parallel.zero_stage = 1;
    job.training.precision = target::Precision::fp16;
    job.training.fp32_grad_reduce = false;

    // copy; clear the flag, unscale, maximum; norm, sum, clip; Adam, masters to weights; gather
    EXPECT_EQ(of_phase(record(job), Phase::optimizer), "c0+M|lR|+acG|");
}

TEST(Order, Bf16GoesStraightToTheNormAndFp32HasNoMastersToCopy) {
    target::Job job = small_job(1, 2, 2);
    job.parallel.zero_stage = 1;

    EXPECT_EQ(of_phase(record(job), Phase::optimizer), "lR|+acG|");
    job.training.precision = target::Precision::fp32;
    EXPECT_EQ(of_phase(record(job), Phase::optimizer), "lR|+aG|");
}

TEST(Order, ReplicatedGradientsOfTheWholeModelAreSummedAsOne) {
    target::Job job = small_job(2, 1, 1);
    make_gpt_like(job);
    job.parallel.sequence = true;
    job.model.embedding_norm = true;
    job.model.qk_norm = true;

    const Recorded r = record(job);

    const std::int64_t hidden = 256;
    const std::int64_t head_dim = 32;
    // A layer: two norms of scale and shift, the biases behind both row-parallel products, norms
    // of queries and keys: 8 tensors. Embedding norm and final norm: 2 each.
    const std::int64_t elements = 8 * (2 * 2 * hidden + 2 * hidden + 2 * head_dim) + 4 * hidden;
    EXPECT_EQ(of_phase(r, Phase::gradients), "cR|" + std::string(8 * 8 + 4, 'c'));
    std::int64_t summed = 0;
    for (const graph::Op& op : r.ops) {
        if (op.kind == OpKind::communicate && op.phase == Phase::gradients) {
            summed += r.interner.communications()[op.index].elements;
        }
    }
    EXPECT_EQ(summed, elements);
}

TEST(Order, WithoutSequenceParallelismOnlyNormsOfHeadsAreSummed) {
    target::Job job = small_job(2, 1, 1);
    make_gpt_like(job);

    EXPECT_EQ(of_phase(record(job), Phase::gradients), "");
    job.model.qk_norm = true;
    EXPECT_EQ(of_phase(record(job), Phase::gradients), "cR|" + std::string(8 * 2, 'c'));
}

TEST(Order, ABucketIsReducedRightAfterItsLastModule) {
    target::Job job = small_job(1, 1, 2);
    job.training.global_batch_size = 2;  // one micro-batch
    job.parallel.overlap_grad_reduce = true;
    job.parallel.bucket_parameters = 1;  // each tensor a bucket

    // A layer: fc2; fc1 and its norm; projection; qkv and its norm. '+' scales before 'R'; a norm
    // is followed by its main gradient and the residual branch.
    const Recorded r = record(job);
    const auto layer = letters(
        r, [](const graph::Op& op) { return op.phase == Phase::backward && op.layer == 1; });

    EXPECT_EQ(without(layer, "."), "dw+Rdwm+++R+Rdw+Rdwm+++R+R");
}

}  // namespace
}  // namespace prismllm::program
