// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Formulas: docs/explanation/model_counts.md.
#include "prismllm/target/parameters.hpp"

namespace prismllm::target {
namespace {

std::int64_t norm_parameters(const Model& model, std::int64_t width) {
    return model.norm == NormKind::layernorm ? 2 * width : width;
}

/// How many ways one rank's share of a layer is cut; the whole layer as it stands.
struct Share {
    std::int64_t tensor = 1;
    std::int64_t kv_heads = 1;
    std::int64_t expert_tensor = 1;
    std::int64_t experts = 0;
};

Share whole_layer(const Model& model) {
    return {1, model.kv_heads, 1, model.experts};
}

/// Column-parallel matrices and their biases are cut, row-parallel matrices too, but the bias
/// of a row-parallel one is added after the sum and so lies whole on every rank, as norms do.
std::int64_t attention_and_norms(const Model& model, const Share& share) {
    const std::int64_t hidden = model.hidden_size;
    const std::int64_t heads = model.attention_heads / share.tensor;
    const std::int64_t qkv_width = (heads + 2 * share.kv_heads) * model.head_dim;

    std::int64_t count = hidden * qkv_width + heads * model.head_dim * hidden;
    count += model.qkv_bias ? qkv_width : 0;
    count += model.attention_output_bias ? hidden : 0;
    count += model.qk_norm ? 2 * model.head_dim : 0;
    count += model.attention_sinks ? heads : 0;
    return count + model.norms_per_layer * norm_parameters(model, hidden);
}

/// An MLP, or one expert, of which a rank holds `ffn` columns.
std::int64_t mlp_parameters(const Model& model, std::int64_t ffn) {
    const std::int64_t mlp_inputs = model.gated_mlp ? 2 : 1;
    return (mlp_inputs + 1) * model.hidden_size * ffn +
           (model.mlp_bias ? mlp_inputs * ffn + model.hidden_size : 0);
}

/// The router lies whole on every rank, and so does the gate of the shared experts.
std::int64_t expert_parameters(const Model& model, const Share& share) {
    std::int64_t count = model.hidden_size * model.experts;
    count += model.mlp_bias ? model.experts : 0;
    count += model.router_correction_bias ? model.experts : 0;
    count +=
        share.experts * mlp_parameters(model, model.expert_ffn_hidden_size / share.expert_tensor);
    if (model.shared_expert_ffn_hidden_size > 0) {
        count += mlp_parameters(model, model.shared_expert_ffn_hidden_size / share.tensor);
        count += model.shared_expert_gate ? model.hidden_size : 0;
    }
    return count;
}

std::int64_t layer_parameters(const Model& model, const Share& share, bool experts) {
    return attention_and_norms(model, share) +
           (experts ? expert_parameters(model, share)
                    : mlp_parameters(model, model.ffn_hidden_size / share.tensor));
}

/// Position table and embedding norm: whole on every tensor-parallel rank.
std::int64_t unsharded_embedding(const Model& model) {
    const std::int64_t positions =
        model.positions == PositionKind::learned ? model.max_positions * model.hidden_size : 0;
    return positions + (model.embedding_norm ? norm_parameters(model, model.hidden_size) : 0);
}

}  // namespace

ParameterCount count_parameters(const Model& given) {
    const Model model = with_defaults(given);
    const std::int64_t table = model.vocab_size * model.hidden_size;
    ParameterCount count;
    count.layer = layer_parameters(model, whole_layer(model), model.experts > 0);
    count.dense_layer = layer_parameters(model, whole_layer(model), false);
    count.embedding = table + unsharded_embedding(model);
    count.head = model.tied_embeddings ? 0 : table;
    count.final_norm = norm_parameters(model, model.hidden_size);
    const std::int64_t dense = model.experts > 0 ? model.first_dense_layers : model.layers;
    const std::int64_t others = model.layers - dense;
    count.total = dense * count.dense_layer + others * count.layer + count.embedding + count.head +
                  count.final_norm;
    const std::int64_t passed_by = model.experts - model.experts_per_token;
    count.active =
        count.total - others * passed_by * mlp_parameters(model, model.expert_ffn_hidden_size);
    return count;
}

std::int64_t parameters_on_stage(const Model& given, const Layout& layout, std::int64_t stage) {
    PRISMLLM_ASSERT(stage >= 0 && stage < layout.pipeline, "the stage exists");
    const Model model = with_defaults(given);
    const std::int64_t table = layout.padded_vocab / layout.tensor * model.hidden_size;
    const bool shares_table = model.tied_embeddings && layout.pipeline == 1;
    const Share share{layout.tensor, layout.kv_heads_per_rank, layout.expert_tensor,
                      layout.experts_per_rank};
    std::int64_t count = 0;
    for (std::int64_t chunk = 0; chunk < layout.virtual_pipeline; ++chunk) {
        const StageWork& work = layout.work(stage, chunk);
        for (std::int64_t i = 0; i < work.layer_count; ++i) {
            count += layer_parameters(model, share, model.has_experts(work.first_layer + i));
        }
        count += work.embedding ? table + unsharded_embedding(model) : 0;
        if (work.loss) {
            count += norm_parameters(model, model.hidden_size) + (shares_table ? 0 : table);
        }
    }
    return count;
}

}  // namespace prismllm::target
