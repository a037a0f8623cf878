// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Small target jobs to start from.
#pragma once

#include "prismllm/program/recording.hpp"
#include "prismllm/target/job.hpp"

#include "job_samples.hpp"

namespace prismllm::program {

using target::make_gpt_like;

/// Llama-like, 8 layers, tp x pp x dp as given, 8 micro-batches a replica.
inline target::Job small_job(std::int64_t tensor, std::int64_t pipeline, std::int64_t data) {
    target::Job job;
    job.model.layers = 8;
    job.model.hidden_size = 256;
    job.model.ffn_hidden_size = 512;
    job.model.attention_heads = 8;
    job.model.kv_heads = 8;
    job.model.vocab_size = 1024;
    job.model.gated_mlp = true;
    job.parallel.world_size = tensor * pipeline * data;
    job.parallel.tensor = tensor;
    job.parallel.pipeline = pipeline;
    job.training.micro_batch_size = 1;
    job.training.global_batch_size = 8 * data;
    job.training.sequence_length = 64;
    return job;
}

struct Recorded {
    Setup setup;
    graph::Interner interner;
    std::vector<graph::Op> ops;

    [[nodiscard]] std::int64_t count(graph::KernelKind kind) const {
        std::int64_t n = 0;
        for (const graph::Op& op : ops) {
            n += op.kind == graph::OpKind::kernel && interner.kernels()[op.index].kind == kind;
        }
        return n;
    }
    [[nodiscard]] std::int64_t count(graph::CollectiveKind kind, graph::FamilyIndex family) const {
        std::int64_t n = 0;
        for (const graph::Op& op : ops) {
            if (op.kind == graph::OpKind::communicate) {
                const graph::Communication& call = interner.communications()[op.index];
                n += call.kind == kind && call.family == family;
            }
        }
        return n;
    }
    [[nodiscard]] double flops() const {
        double sum = 0;
        for (const graph::Op& op : ops) {
            if (op.kind == graph::OpKind::kernel &&
                (interner.kernels()[op.index].kind == graph::KernelKind::gemm ||
                 interner.kernels()[op.index].kind == graph::KernelKind::attention_forward ||
                 interner.kernels()[op.index].kind == graph::KernelKind::attention_backward)) {
                sum += interner.kernels()[op.index].flops;
            }
        }
        return sum;
    }
};

inline Recorded record(const target::Job& job, std::int64_t rank = 0) {
    Recorded r{make_setup(job).value(), {}, {}};
    r.ops = record_slice(r.setup, rank, r.interner);
    return r;
}

}  // namespace prismllm::program
