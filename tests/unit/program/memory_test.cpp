// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Bytes of activations and of model state against published closed forms.
#include <gtest/gtest.h>

#include "prismllm/target/parameters.hpp"

#include "jobs.hpp"

namespace prismllm::program {
namespace {

using graph::KernelKind;
using graph::OpKind;

/// Bytes that live when `stop` is met; activations only, or everything.
template <class Stop>
std::int64_t live_bytes(const Recorded& r, bool activations_only, const Stop& stop) {
    std::int64_t bytes = 0;
    for (const graph::Op& op : r.ops) {
        if (stop(op)) {
            return bytes;
        }
        if (op.kind != OpKind::allocate && op.kind != OpKind::release) {
            continue;
        }
        const graph::Tensor& tensor = r.interner.tensors()[op.index];
        if (!activations_only || tensor.role == graph::TensorRole::activation) {
            bytes += op.kind == OpKind::allocate ? tensor.bytes : -tensor.bytes;
        }
    }
    ADD_FAILURE() << "the op to stop at is missing";
    return 0;
}

constexpr std::int64_t s = 64, b = 2, h = 256, a = 8;  // symbols of Korthikanti et al.

/// What one layer keeps for its backward pass: two jobs of one micro-batch that differ by a layer.
std::int64_t saved_by_a_layer(target::Job job) {
    make_gpt_like(job);
    job.model.ffn_hidden_size = 4 * h;
    job.training.micro_batch_size = b;
    job.training.global_batch_size = b;
    const auto before_backward = [&](std::int64_t layers) {
        job.model.layers = layers;
        return live_bytes(record(job), true,
                          [](const graph::Op& op) { return op.phase == graph::Phase::backward; });
    };
    return before_backward(3) - before_backward(2);
}

target::Job unfused(std::int64_t tensor, bool sequence, target::Recompute recompute) {
    target::Job job = small_job(tensor, 1, 1);
    job.parallel.sequence = sequence;
    job.training.flash_attention = false;
    job.training.hidden_dropout = 0.1;
    job.training.recompute = recompute;
    return job;
}

// Korthikanti et al. 2022, arXiv 2205.05198, Table 2: 34 sbh and, for the scores, 5 as^2b
// (softmax 2, mask 1, dropped softmax 2 bytes); 10 sbh lie outside of tensor-parallel regions.
TEST(Activations, OfALayerWithoutParallelismAreThoseOfTheFormula) {
    EXPECT_EQ(saved_by_a_layer(unfused(1, false, target::Recompute::none)),
              34 * s * b * h + 5 * a * s * s * b);
}

TEST(Activations, TensorParallelismCutsWhatLiesInsideItsRegions) {
    EXPECT_EQ(saved_by_a_layer(unfused(4, false, target::Recompute::none)),
              s * b * h * 10 + s * b * h * 24 / 4 + 5 * a * s * s * b / 4);
}

TEST(Activations, SequenceParallelismCutsAllOfThem) {
    EXPECT_EQ(saved_by_a_layer(unfused(4, true, target::Recompute::none)),
              (34 * s * b * h + 5 * a * s * s * b) / 4);
}

TEST(Activations, SelectiveRecomputationDropsTheScores) {
    EXPECT_EQ(saved_by_a_layer(unfused(4, true, target::Recompute::selective)), 34 * s * b * h / 4);
}

TEST(Activations, FullRecomputationKeepsTheInput) {
    EXPECT_EQ(saved_by_a_layer(unfused(4, false, target::Recompute::full)), 2 * s * b * h);
}

TEST(Activations, WithoutHiddenDropoutTwoByteMasksAreMissing) {
    target::Job job = unfused(4, true, target::Recompute::none);
    job.training.hidden_dropout = 0;

    EXPECT_EQ(saved_by_a_layer(job), (32 * s * b * h + 5 * a * s * s * b) / 4);
}

TEST(Activations, FusedAttentionKeepsOneFp32ValueAQueryInsteadOfScores) {
    EXPECT_EQ(saved_by_a_layer(small_job(1, 1, 1)), 32 * s * b * h + 4 * s * b * a);
}

TEST(Activations, NormsOfHeadsKeepTheirInputBesideTheirOutput) {
    target::Job job = small_job(1, 1, 1);
    job.model.qk_norm = true;

    EXPECT_EQ(saved_by_a_layer(job), 32 * s * b * h + 4 * s * b * a + 2 * 2 * s * b * h);
}

struct State {
    target::Precision precision;
    bool fp32_gradients;
    std::int64_t fixed, shared;  ///< bytes a parameter: fixed + shared / shards
};

TEST(ModelState, TakesTheBytesAParameterOfMegatronsTable) {
    // Megatron-LM's page on its distributed optimizer, "theoretical number of bytes per
    // parameter": 20, 18 and 16 without it, 4 + 16/d, 6 + 12/d, 8 + 8/d with it. The fp32
    // copies of fp16 gradients live during the update only.
    for (const State& state :
         {State{target::Precision::fp16, false, 4, 16}, State{target::Precision::bf16, true, 6, 12},
          State{target::Precision::fp32, true, 8, 8}}) {
        for (const int zero : {0, 1}) {
            target::Job job = small_job(1, 1, 4);
            job.training.precision = state.precision;
            job.training.fp32_grad_reduce = state.fp32_gradients;
            job.parallel.zero_stage = zero;

            const Recorded r = record(job);
            const std::int64_t bytes = live_bytes(r, false, [&](const graph::Op& op) {
                return op.kind == OpKind::kernel &&
                       r.interner.kernels()[op.index].kind == KernelKind::adam;
            });

            // All tensors are multiples of 256 elements and so are the shards: no padding.
            const std::int64_t shards = zero == 0 ? 1 : 4;
            // In fp16 the update looks at one number: whether an infinity was found.
            const std::int64_t found = state.precision == target::Precision::fp16 ? 4 : 0;
            EXPECT_EQ(bytes, found + target::parameters_on_stage(r.setup.model, r.setup.layout, 0) *
                                         (state.fixed * shards + state.shared) / shards);
        }
    }
}

}  // namespace
}  // namespace prismllm::program
