// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Formulas: docs/explanation/model_counts.md.
#include "prismllm/target/parameters.hpp"

namespace prismllm::target {
namespace {

std::int64_t norm_parameters(const Model& model, std::int64_t width) {
    return model.norm == NormKind::layernorm ? 2 * width : width;
}

/// What one tensor-parallel rank holds of a layer; shares of the whole for tensor = 1.
/// Column-parallel matrices and their biases are cut, row-parallel matrices too, but the bias
/// of a row-parallel one is added after the sum and so lies whole on every rank, as norms do.
std::int64_t layer_parameters(const Model& model, std::int64_t tensor, std::int64_t kv_heads) {
    const std::int64_t hidden = model.hidden_size;
    const std::int64_t heads = model.attention_heads / tensor;
    const std::int64_t ffn = model.ffn_hidden_size / tensor;
    const std::int64_t qkv_width = (heads + 2 * kv_heads) * model.head_dim;
    const std::int64_t mlp_inputs = model.gated_mlp ? 2 : 1;

    std::int64_t count = hidden * qkv_width + heads * model.head_dim * hidden;
    count += (mlp_inputs + 1) * hidden * ffn;
    count += model.qkv_bias ? qkv_width : 0;
    count += model.attention_output_bias ? hidden : 0;
    count += model.qk_norm ? 2 * model.head_dim : 0;
    count += model.mlp_bias ? mlp_inputs * ffn + hidden : 0;
    return count + model.norms_per_layer * norm_parameters(model, hidden);
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
    count.layer = layer_parameters(model, 1, model.kv_heads);
    count.embedding = table + unsharded_embedding(model);
    count.head = model.tied_embeddings ? 0 : table;
    count.final_norm = norm_parameters(model, model.hidden_size);
    count.total = model.layers * count.layer + count.embedding + count.head + count.final_norm;
    return count;
}

std::int64_t parameters_on_stage(const Model& given, const Layout& layout, std::int64_t stage) {
    PRISMLLM_ASSERT(stage >= 0 && stage < layout.pipeline, "the stage exists");
    const Model model = with_defaults(given);
    const std::int64_t table = layout.padded_vocab / layout.tensor * model.hidden_size;
    const bool shares_table = model.tied_embeddings && layout.pipeline == 1;
    const std::int64_t layer = layer_parameters(model, layout.tensor, layout.kv_heads_per_rank);
    std::int64_t count = 0;
    for (std::int64_t chunk = 0; chunk < layout.virtual_pipeline; ++chunk) {
        const StageWork& work = layout.work(stage, chunk);
        count += work.layer_count * layer;
        count += work.embedding ? table + unsharded_embedding(model) : 0;
        if (work.loss) {
            count += norm_parameters(model, model.hidden_size) + (shares_table ? 0 : table);
        }
    }
    return count;
}

}  // namespace prismllm::target
