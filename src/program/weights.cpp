// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "weights.hpp"

namespace prismllm::program {
namespace {

class WeightMaker {
public:
    WeightMaker(const Setup& setup, const TensorTaker& take) : setup_{setup}, take_{take} {}

    EmbeddingWeights embedding();
    LayerWeights layer();
    HeadWeights head(const Parameter* words, Module words_module);

private:
    [[nodiscard]] Norm norm(std::int64_t width, Replication replication);
    [[nodiscard]] Linear linear(std::int64_t columns, std::int64_t inner, bool bias,
                                Replication bias_replication, const char* output);
    [[nodiscard]] Parameter table(bool tied);

    const Setup& setup_;
    const TensorTaker& take_;
    Module module_ = 0;
};

Norm WeightMaker::norm(std::int64_t width, Replication replication) {
    Norm norm;
    norm.scale = take_({width, module_, replication});
    if (setup_.model.norm == target::NormKind::layernorm) {
        norm.shift = take_({width, module_, replication});
    }
    return norm;
}

Linear WeightMaker::linear(std::int64_t columns, std::int64_t inner, bool bias,
                           Replication bias_replication, const char* output) {
    Linear linear;
    linear.module = module_;
    linear.operands = setup_.linear;
    linear.columns = columns;
    linear.inner = inner;
    linear.output = output;
    linear.weight = take_({columns * inner, module_});
    if (bias) {
        linear.bias = take_({columns, module_, bias_replication});
    }
    return linear;
}

Parameter WeightMaker::table(bool tied) {
    TensorShape shape{setup_.sizes.vocab * setup_.sizes.hidden, module_};
    shape.shared_between_stages = tied && setup_.layout.pipeline > 1;
    return take_(shape);
}

EmbeddingWeights WeightMaker::embedding() {
    EmbeddingWeights w;
    w.module = module_;
    w.words = table(setup_.model.tied_embeddings);
    if (setup_.model.positions == target::PositionKind::learned) {
        w.positions = take_({setup_.model.max_positions * setup_.sizes.hidden, module_});
    }
    if (setup_.model.embedding_norm) {
        w.norm = norm(setup_.sizes.hidden, Replication::sequence);
    }
    ++module_;
    return w;
}

LayerWeights WeightMaker::layer() {
    const Sizes& s = setup_.sizes;
    const target::Model& m = setup_.model;
    LayerWeights w;
    w.projection = linear(s.hidden, s.query_columns, m.attention_output_bias, Replication::sequence,
                          "attention output");
    ++module_;
    w.norm1 = norm(s.hidden, Replication::sequence);
    w.qkv = linear(s.qkv_columns, s.hidden, m.qkv_bias, Replication::none, "qkv");
    if (m.qk_norm) {
        // One vector for queries and one for keys, whatever the kind of the other norms.
        w.query_norm.scale = take_({s.head_dim, module_, Replication::heads});
        w.key_norm.scale = take_({s.head_dim, module_, Replication::heads});
    }
    ++module_;
    w.norm2 = norm(s.hidden, Replication::sequence);
    w.fc1 = linear(s.fc1, s.hidden, m.mlp_bias, Replication::none, "fc1 output");
    ++module_;
    w.fc2 = linear(s.hidden, s.ffn, m.mlp_bias, Replication::sequence, "mlp output");
    ++module_;
    return w;
}

HeadWeights WeightMaker::head(const Parameter* words, Module words_module) {
    HeadWeights w;
    w.norm_module = module_;
    w.norm = norm(setup_.sizes.hidden, Replication::sequence);
    ++module_;
    w.shares_words = words != nullptr;
    w.linear.module = w.shares_words ? words_module : module_;
    w.linear.operands = setup_.activation;  // the head stays out of fp8
    w.linear.columns = setup_.sizes.vocab;
    w.linear.inner = setup_.sizes.hidden;
    w.linear.output = "logits";
    w.linear.weight = w.shares_words ? *words : table(setup_.model.tied_embeddings);
    return w;
}

}  // namespace

ChunkWeights make_weights(const Setup& setup, const target::StageWork& work,
                          const TensorTaker& take) {
    WeightMaker maker{setup, take};
    ChunkWeights weights;
    if (work.embedding) {
        weights.embedding = maker.embedding();
    }
    for (std::int64_t l = 0; l < work.layer_count; ++l) {
        weights.layers.push_back(maker.layer());
    }
    if (work.loss) {
        const bool shared = setup.model.tied_embeddings && work.embedding;
        weights.head =
            maker.head(shared ? &weights.embedding.words : nullptr, weights.embedding.module);
    }
    return weights;
}

}  // namespace prismllm::program
