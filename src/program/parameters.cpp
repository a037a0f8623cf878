// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <algorithm>
#include <numeric>

namespace prismllm::program {
namespace {

std::int64_t norm_size(const Setup& setup) {
    return (setup.model.norm == target::NormKind::layernorm ? 2 : 1) * setup.model.hidden_size;
}

std::int64_t embedding_elements(const Setup& setup) {
    const target::Model& m = setup.model;
    const std::int64_t positions =
        m.positions == target::PositionKind::learned ? m.max_positions * m.hidden_size : 0;
    return setup.sizes.vocab * m.hidden_size + positions +
           (m.embedding_norm ? norm_size(setup) : 0);
}

/// A tied head has a table of its own where the embedding lives on another stage.
std::int64_t head_elements(const Setup& setup) {
    const bool shared = setup.model.tied_embeddings && setup.layout.pipeline == 1;
    return norm_size(setup) + (shared ? 0 : setup.sizes.vocab * setup.model.hidden_size);
}

std::vector<Unit> units_of(const Setup& setup, const target::StageWork& work) {
    std::vector<Unit> units;
    if (work.embedding) {
        units.push_back({UnitKind::embedding, -1, embedding_elements(setup)});
    }
    for (std::int64_t l = 0; l < work.layer_count; ++l) {
        units.push_back({UnitKind::layer, work.first_layer + l, setup.sizes.layer_parameters});
    }
    if (work.loss) {
        units.push_back({UnitKind::head, -1, head_elements(setup)});
    }
    return units;
}

/// A bucket is closed once it holds this many parameters. As in Megatron-LM only the first
/// chunk of the first stage has several: the others end earlier than it in the backward pass.
std::int64_t bucket_limit(const Setup& setup, std::int64_t stage, std::int64_t chunk) {
    const target::Parallel& p = setup.parallel;
    const bool overlaps = p.overlap_grad_reduce || p.overlap_param_gather;
    if (!overlaps || chunk > 0 || stage > 0) {
        return INT64_MAX;
    }
    return p.bucket_parameters > 0
               ? p.bucket_parameters
               : std::max<std::int64_t>(40'000'000, 1'000'000 * setup.layout.data);
}

void fill_buckets(ChunkParameters& parameters, std::int64_t limit) {
    for (std::size_t u = parameters.units.size(); u-- > 0;) {
        Unit& unit = parameters.units[u];
        if (parameters.buckets.empty() || parameters.buckets.back().elements >= limit) {
            parameters.buckets.emplace_back();
        }
        Bucket& bucket = parameters.buckets.back();
        unit.bucket = parameters.buckets.size() - 1;
        unit.offset = bucket.elements;
        bucket.elements += unit.elements;
        bucket.first_unit = u;
    }
}

}  // namespace

std::int64_t ChunkParameters::elements() const {
    return std::accumulate(
        buckets.begin(), buckets.end(), std::int64_t{0},
        [](std::int64_t sum, const Bucket& bucket) { return sum + bucket.elements; });
}

LayerWeights ChunkParameters::layer_weights(const Context& context, const Unit& unit) const {
    const Sizes& s = context.sizes();
    const target::Model& m = context.setup.model;
    Buffer weight = weights_of(unit);
    Buffer gradient = gradients_of(unit);
    const auto take = [&](std::int64_t columns, std::int64_t inner, std::int64_t bias,
                          const char* output) {
        const Linear linear{weight,   gradient, context.setup.linear, columns, inner,
                            bias > 0, output};
        weight = weight.at(columns * inner + bias);
        gradient = gradient.at(columns * inner + bias);
        return linear;
    };
    LayerWeights w;
    w.qkv = take(s.qkv_columns, s.hidden, m.qkv_bias ? s.qkv_columns : 0, "qkv");
    w.projection =
        take(s.hidden, s.query_columns, m.attention_output_bias ? s.hidden : 0, "attention output");
    w.fc1 = take(s.fc1, s.hidden, m.mlp_bias ? s.fc1 : 0, "fc1 output");
    w.fc2 = take(s.hidden, s.ffn, m.mlp_bias ? s.hidden : 0, "mlp output");
    w.norms = weight;
    w.norm_gradients = gradient;
    return w;
}

ChunkParameters allocate_parameters(const Context& context, std::int64_t chunk) {
    const Setup& setup = context.setup;
    ChunkParameters parameters;
    parameters.units = units_of(setup, setup.layout.work(context.where.pipeline, chunk));
    fill_buckets(parameters, bucket_limit(setup, context.where.pipeline, chunk));
    for (Bucket& bucket : parameters.buckets) {
        bucket.weights = context.allocate("weights", setup.activation, bucket.elements,
                                          graph::TensorRole::weight);
        bucket.gradients = context.allocate("main gradients", setup.gradient, bucket.elements,
                                            graph::TensorRole::gradient);
    }
    return parameters;
}

}  // namespace prismllm::program
