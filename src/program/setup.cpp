// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/program/setup.hpp"

#include <algorithm>
#include <string>

namespace prismllm::program {
namespace {

using target::Precision;

/// Adds what make_layout accepts but the step does not do.
void check_supported(const target::Job& job, std::string& problems) {
    const target::Parallel& p = job.parallel;
    const auto refuse = [&](bool unsupported, const char* text) {
        if (unsupported) {
            problems += problems.empty() ? "" : "\n";
            problems += text;
        }
    };
    refuse(p.context > 1,
           "parallel.context_parallel above 1 is not in the training step yet (the ring of keys "
           "and values would be left out). Set it to 1.");
    refuse(job.model.experts > 0,
           "model.experts above 0 is not in the training step yet (routing, token dispatch and "
           "experts would be left out). Use a dense model.");
    refuse(job.model.attention_sinks,
           "model.attention_sinks is not in the training step yet (its kernels would be left "
           "out). Set it to false.");
    refuse(job.model.norms_per_layer != 2,
           "model.norms_per_layer other than 2 is not in the training step yet (the extra norms "
           "would be left out). Set it to 2.");
    refuse(p.scatter_gather_p2p && p.sequence,
           "parallel.scatter_gather_p2p with sequence_parallel would shard twice (activations "
           "are sharded already). Set one of them to false.");
    refuse(p.scatter_gather_p2p && p.tensor > 1 &&
               job.training.sequence_length * job.training.micro_batch_size % p.tensor != 0,
           "parallel.scatter_gather_p2p needs sequence_length x micro_batch_size divisible by "
           "tensor_parallel (each rank sends an equal part). Change one of them.");
}

Sizes make_sizes(const target::Model& m, const target::Parallel& p, const target::Training& t,
                 const target::Layout& layout) {
    Sizes s;
    const std::int64_t tp = layout.tensor;
    s.tokens = t.sequence_length * t.micro_batch_size;
    s.sharded_tokens = p.sequence ? s.tokens / tp : s.tokens;
    s.hidden = m.hidden_size;
    s.pipeline_elements = (p.scatter_gather_p2p ? s.tokens / tp : s.sharded_tokens) * s.hidden;
    s.heads = m.attention_heads / tp;
    s.kv_heads = layout.kv_heads_per_rank;
    s.head_dim = m.head_dim;
    s.query_columns = s.heads * s.head_dim;
    s.qkv_columns = s.query_columns + 2 * s.kv_heads * s.head_dim;
    s.ffn = m.ffn_hidden_size / tp;
    s.fc1 = m.gated_mlp ? 2 * s.ffn : s.ffn;
    s.vocab = layout.padded_vocab / tp;
    return s;
}

/// Sizes whose byte counts stay far inside int64. Nobody trains there.
Status check_magnitudes(const Setup& setup) {
    constexpr double most_elements = 1e15;
    const Sizes& s = setup.sizes;
    const auto tokens = static_cast<double>(s.tokens);
    const auto sequence = static_cast<double>(setup.training.sequence_length);
    const auto widest =
        static_cast<double>(std::max({s.hidden, s.fc1, s.vocab, s.qkv_columns, s.query_columns}));
    const double scores =
        setup.training.flash_attention ? 0 : tokens * sequence * static_cast<double>(s.heads);
    const double weights =
        static_cast<double>(s.hidden) * widest * static_cast<double>(setup.model.layers);
    if (std::max({tokens * widest, scores, weights}) > most_elements) {
        return fail(ErrorCode::bad_deck,
                    "training.sequence_length, training.micro_batch_size and the model's sizes "
                    "make a tensor of more than {:.0e} elements (byte counts would not fit). Make "
                    "one of them smaller.",
                    most_elements);
    }
    return {};
}

}  // namespace

Expected<Setup> make_setup(const target::Job& job) {
    auto layout = target::make_layout(job.model, job.parallel, job.training);
    std::string problems = layout ? "" : layout.error().message;
    check_supported(job, problems);
    if (!problems.empty()) {
        return fail(ErrorCode::bad_deck, "{}", problems);
    }
    Setup setup;
    setup.model = target::with_defaults(job.model);
    setup.parallel = job.parallel;
    setup.training = job.training;
    setup.layout = std::move(*layout);
    if (setup.layout.tensor == 1) {
        setup.parallel.scatter_gather_p2p = false;  // nothing to shard
    }
    setup.sizes = make_sizes(setup.model, setup.parallel, setup.training, setup.layout);
    if (auto ok = check_magnitudes(setup); !ok) {
        return tl::unexpected{ok.error()};
    }
    setup.family_list = target::families_of(setup.layout);
    setup.backward_pipeline = setup.families.pipeline;
    if (setup.layout.pipeline == 2 && setup.layout.virtual_pipeline > 1) {
        graph::Family backward = setup.family_list[setup.families.pipeline];
        backward.name = "pp_backward";
        setup.backward_pipeline = static_cast<graph::FamilyIndex>(setup.family_list.size());
        setup.family_list.push_back(std::move(backward));
    }
    switch (job.training.precision) {
        case Precision::bf16:
            setup.activation = setup.linear = graph::DType::bf16;
            break;
        case Precision::fp16:
            setup.activation = setup.linear = graph::DType::fp16;
            break;
        case Precision::fp32:
            setup.activation = setup.linear = graph::DType::fp32;
            break;
        case Precision::fp8:
            setup.activation = graph::DType::bf16;
            setup.linear = graph::DType::fp8;
            break;
    }
    setup.gradient = job.training.fp32_grad_reduce ? graph::DType::fp32 : setup.activation;
    return setup;
}

}  // namespace prismllm::program
