// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "weights.hpp"

#include <utility>

namespace prismllm::program {
namespace {

using Rows = ParameterPart::Rows;
using Start = ParameterPart::Start;

class WeightMaker {
public:
    WeightMaker(const Setup& setup, std::int64_t tensor_rank, const TensorTaker& take)
        : setup_{setup}, tensor_rank_{tensor_rank}, take_{take} {}

    EmbeddingWeights embedding();
    LayerWeights layer(std::int64_t number);
    HeadWeights head(const Parameter* words, Module words_module);

private:
    /// A linear layer: what it is called, and how tensor ranks cut it.
    struct LinearSpec {
        const char* name;
        const char* output;
        std::vector<Rows> rows;  ///< of its weight here
        std::int64_t inner = 0;  ///< here
        std::int64_t first_inner = 0;
        bool bias = false;
        bool bias_is_whole = false;  ///< row-parallel: every rank holds the bias
        Start start = Start::normal;
    };

    [[nodiscard]] Rows whole(std::int64_t count) const { return {count, 0}; }
    /// Rows of which each tensor rank has `count`, of `total`; where the total is smaller than
    /// their sum, neighbors hold the same ones.
    [[nodiscard]] Rows cut(std::int64_t count, std::int64_t total) const {
        const std::int64_t position = tensor_rank_ * total / setup_.layout.tensor;
        return {count, position / count * count};
    }
    [[nodiscard]] std::string named(const char* module, const char* tensor) const;
    [[nodiscard]] Parameter vector(std::string name, std::int64_t width, Start start,
                                   Replication replication);
    [[nodiscard]] Norm norm(const char* name, std::int64_t width, Replication replication);
    [[nodiscard]] Linear linear(const LinearSpec& spec);
    /// Cut by its inputs: the outputs are partial sums, and every rank holds all of the bias.
    [[nodiscard]] Linear row_parallel(const char* name, const char* output, const Rows& inner,
                                      bool bias) {
        return linear({name,
                       output,
                       {whole(setup_.sizes.hidden)},
                       inner.count,
                       inner.first,
                       bias,
                       true,
                       Start::residual});
    }
    [[nodiscard]] Parameter table(bool tied, const char* name);

    const Setup& setup_;
    std::int64_t tensor_rank_;
    const TensorTaker& take_;
    Module module_ = 0;
    std::string place_;  ///< in front of the names: the layer
};

std::string WeightMaker::named(const char* module, const char* tensor) const {
    return place_ + module + " " + tensor;
}

Parameter WeightMaker::vector(std::string name, std::int64_t width, Start start,
                              Replication replication) {
    return take_(
        {width, module_, {std::move(name), start, 1, 0, {whole(width)}}, replication, false, true});
}

Norm WeightMaker::norm(const char* name, std::int64_t width, Replication replication) {
    Norm norm;
    norm.scale = vector(named(name, "scale"), width, Start::ones, replication);
    if (setup_.model.norm == target::NormKind::layernorm) {
        norm.shift = vector(named(name, "shift"), width, Start::zeros, replication);
    }
    return norm;
}

Linear WeightMaker::linear(const LinearSpec& spec) {
    Linear linear;
    linear.module = module_;
    linear.operands = setup_.linear;
    for (const Rows& rows : spec.rows) {
        linear.columns += rows.count;
    }
    linear.inner = spec.inner;
    linear.output = spec.output;
    linear.weight =
        take_({linear.columns * spec.inner,
               module_,
               {named(spec.name, "weight"), spec.start, spec.inner, spec.first_inner, spec.rows}});
    if (spec.bias) {
        linear.bias = take_({linear.columns,
                             module_,
                             {named(spec.name, "bias"), Start::zeros, 1, 0, spec.rows},
                             spec.bias_is_whole ? Replication::sequence : Replication::none,
                             false,
                             spec.bias_is_whole});
    }
    return linear;
}

Parameter WeightMaker::table(bool tied, const char* name) {
    const Sizes& s = setup_.sizes;
    TensorShape shape{s.vocab * s.hidden, module_};
    shape.part = {named(tied ? "words" : name, "table"),
                  Start::normal,
                  s.hidden,
                  0,
                  {cut(s.vocab, setup_.layout.padded_vocab)}};
    shape.shared_between_stages = tied && setup_.layout.pipeline > 1;
    return take_(shape);
}

EmbeddingWeights WeightMaker::embedding() {
    EmbeddingWeights w;
    w.module = module_;
    w.words = table(setup_.model.tied_embeddings, "words");
    if (setup_.model.positions == target::PositionKind::learned) {
        const std::int64_t rows = setup_.model.max_positions;
        const std::int64_t hidden = setup_.sizes.hidden;
        w.positions = take_({rows * hidden,
                             module_,
                             {named("positions", "table"), Start::normal, hidden, 0, {whole(rows)}},
                             Replication::none,
                             false,
                             true});
    }
    if (setup_.model.embedding_norm) {
        w.norm = norm("embedding norm", setup_.sizes.hidden, Replication::sequence);
    }
    ++module_;
    return w;
}

LayerWeights WeightMaker::layer(std::int64_t number) {
    const Sizes& s = setup_.sizes;
    const target::Model& m = setup_.model;
    place_ = "layer " + std::to_string(number) + " ";
    const std::int64_t queries = m.attention_heads * m.head_dim;
    const std::int64_t keys = m.kv_heads * m.head_dim;
    const std::int64_t keys_here = s.kv_heads * s.head_dim;
    const Rows own_ffn = cut(s.ffn, m.ffn_hidden_size);
    const Rows own_queries = cut(s.query_columns, queries);
    const Rows own_keys = cut(keys_here, keys);
    LayerWeights w;
    w.projection =
        row_parallel("projection", "attention output", own_queries, m.attention_output_bias);
    ++module_;
    w.norm1 = norm("norm 1", s.hidden, Replication::sequence);
    const Rows first_keys{own_keys.count, queries + own_keys.first};
    const Rows first_values{own_keys.count, queries + keys + own_keys.first};
    w.qkv =
        linear({"qkv", "qkv", {own_queries, first_keys, first_values}, s.hidden, 0, m.qkv_bias});
    if (m.qk_norm) {
        // One vector for queries and one for keys, whatever the kind of the other norms.
        w.query_norm.scale =
            vector(named("query norm", "scale"), s.head_dim, Start::ones, Replication::heads);
        w.key_norm.scale =
            vector(named("key norm", "scale"), s.head_dim, Start::ones, Replication::heads);
    }
    ++module_;
    w.norm2 = norm("norm 2", s.hidden, Replication::sequence);
    std::vector<Rows> fc1{own_ffn};
    if (m.gated_mlp) {
        fc1.push_back({own_ffn.count, m.ffn_hidden_size + own_ffn.first});
    }
    w.fc1 = linear({"fc1", "fc1 output", fc1, s.hidden, 0, m.mlp_bias});
    ++module_;
    w.fc2 = row_parallel("fc2", "mlp output", own_ffn, m.mlp_bias);
    ++module_;
    place_.clear();
    return w;
}

HeadWeights WeightMaker::head(const Parameter* words, Module words_module) {
    HeadWeights w;
    w.norm_module = module_;
    w.norm = norm("final norm", setup_.sizes.hidden, Replication::sequence);
    ++module_;
    w.shares_words = words != nullptr;
    w.linear.module = w.shares_words ? words_module : module_;
    w.linear.operands = setup_.activation;  // the head stays out of fp8
    w.linear.columns = setup_.sizes.vocab;
    w.linear.inner = setup_.sizes.hidden;
    w.linear.output = "logits";
    w.linear.weight = w.shares_words ? *words : table(setup_.model.tied_embeddings, "head");
    return w;
}

}  // namespace

ChunkWeights make_weights(const Setup& setup, const target::StageWork& work,
                          std::int64_t tensor_rank, const TensorTaker& take) {
    WeightMaker maker{setup, tensor_rank, take};
    ChunkWeights weights;
    if (work.embedding) {
        weights.embedding = maker.embedding();
    }
    for (std::int64_t l = 0; l < work.layer_count; ++l) {
        weights.layers.push_back(maker.layer(work.first_layer + l));
    }
    if (work.loss) {
        const bool shared = setup.model.tied_embeddings && work.embedding;
        weights.head =
            maker.head(shared ? &weights.embedding.words : nullptr, weights.embedding.module);
    }
    return weights;
}

}  // namespace prismllm::program
