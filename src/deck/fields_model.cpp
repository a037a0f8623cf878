// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Rows that describe the model.
#include <array>

#include "fields.hpp"

namespace prismllm::deck {
namespace {

using target::Job;
using target::Model;
using enum Presence;

constexpr std::array<std::string_view, 2> norm_names{"layernorm", "rmsnorm"};
constexpr std::array<std::string_view, 4> position_names{"rope", "learned", "alibi", "none"};

// Upper bounds are far beyond any real model; they keep products of settings inside int64.
constexpr Range any{};
constexpr double most_layers = 32767;  // the execution graph numbers layers in 16 bits
constexpr Range layer_count{0, most_layers, false};
constexpr Range width{1, 1 << 20, false};
constexpr Range width_or_derived{0, 1 << 20, false};

template <auto Member>
constexpr auto model = &slot_of<&Job::model, Member>;

}  // namespace

void append_model_fields(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Range range, Presence presence,
                              std::string_view meaning, std::string_view flag = "",
                              std::span<const std::string_view> choices = {}) {
        table.push_back(
            {"model", key, slot, Quantity::none, range, presence, choices, meaning, flag});
    };
    row("name", model<&Model::name>, any, required, "name of the model in reports");
    row("layers", model<&Model::layers>, {1, most_layers}, required, "transformer layers",
        "--num-layers");
    row("hidden_size", model<&Model::hidden_size>, width, required, "width of the residual stream",
        "--hidden-size");
    row("ffn_hidden_size", model<&Model::ffn_hidden_size>, {0, 1 << 22}, defaulted,
        "inner width of the MLP; 0: 4 x hidden_size", "--ffn-hidden-size");
    row("attention_heads", model<&Model::attention_heads>, {1, 1 << 14}, required,
        "query heads of a layer", "--num-attention-heads");
    row("kv_heads", model<&Model::kv_heads>, {0, 1 << 14}, defaulted,
        "key/value heads of a layer; 0: as many as attention_heads",
        "--num-query-groups, with --group-query-attention");
    row("head_dim", model<&Model::head_dim>, width_or_derived, defaulted,
        "width of a head; 0: hidden_size / attention_heads", "--kv-channels");
    row("vocab_size", model<&Model::vocab_size>, {1, 1 << 24}, required,
        "tokens of the vocabulary before padding", "--vocab-size");
    row("gated_mlp", model<&Model::gated_mlp>, any, defaulted,
        "SwiGLU: three MLP matrices instead of two", "--swiglu");
    row("tied_embeddings", model<&Model::tied_embeddings>, any, defaulted,
        "the output head shares the input embedding",
        "(not) --untie-embeddings-and-output-weights");
    row("qkv_bias", model<&Model::qkv_bias>, any, defaulted, "bias on queries, keys and values",
        "--add-qkv-bias, or (not) --disable-bias-linear");
    row("attention_output_bias", model<&Model::attention_output_bias>, any, defaulted,
        "bias on the projection after attention", "(not) --disable-bias-linear");
    row("mlp_bias", model<&Model::mlp_bias>, any, defaulted,
        "bias on the MLP matrices, and with experts on theirs and the router",
        "(not) --disable-bias-linear");
    row("qk_norm", model<&Model::qk_norm>, any, defaulted, "norms of head_dim on queries and keys",
        "--qk-layernorm");
    row("attention_sinks", model<&Model::attention_sinks>, any, defaulted,
        "a learned logit a head that joins the softmax (gpt-oss)", "--softmax-type learnable");
    row("embedding_norm", model<&Model::embedding_norm>, any, defaulted,
        "a norm after the embedding (BLOOM)");
    row("norm", model<&Model::norm>, any, defaulted, "kind of all norms", "--normalization",
        norm_names);
    row("norms_per_layer", model<&Model::norms_per_layer>, {0, 8}, defaulted,
        "norms of hidden_size in a layer");
    row("positions", model<&Model::positions>, any, defaulted, "position encoding",
        "--position-embedding-type", position_names);
    row("max_positions", model<&Model::max_positions>, {0, 1 << 24}, defaulted,
        "rows of the learned position table", "--max-position-embeddings");
    row("experts", model<&Model::experts>, {0, 1 << 14}, defaulted,
        "routed experts of a layer; 0: a dense model. So far experts are refused by the training "
        "step (slice, run), and check shows layout and parameter counts",
        "--num-experts");
    row("experts_per_token", model<&Model::experts_per_token>, {0, 1 << 14}, defaulted,
        "routed experts that each token is sent to; needed with experts", "--moe-router-topk");
    row("expert_ffn_hidden_size", model<&Model::expert_ffn_hidden_size>, {0, 1 << 22}, defaulted,
        "inner width of one expert; 0: ffn_hidden_size", "--moe-ffn-hidden-size");
    row("shared_expert_ffn_hidden_size", model<&Model::shared_expert_ffn_hidden_size>, {0, 1 << 22},
        defaulted, "inner width of all shared experts together; 0: none",
        "--moe-shared-expert-intermediate-size");
    row("shared_expert_gate", model<&Model::shared_expert_gate>, any, defaulted,
        "a learned gate on the shared experts", "--moe-shared-expert-gate");
    row("router_correction_bias", model<&Model::router_correction_bias>, any, defaulted,
        "a bias an expert in the router that only balances the load",
        "--moe-router-enable-expert-bias");
    row("first_dense_layers", model<&Model::first_dense_layers>, layer_count, defaulted,
        "leading layers with a plain MLP instead of experts",
        "--moe-layer-freq '([0]*n+[1]*m)', n this key and m the other layers");
}

}  // namespace prismllm::deck
