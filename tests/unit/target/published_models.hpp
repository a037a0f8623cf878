// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file tests/unit/target/published_models.hpp
/// Shapes and exact counts of published models, from tests/data/models.csv.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "prismllm/target/job.hpp"

namespace prismllm::target {

using Row = std::map<std::string, std::string>;

inline std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
        if (c == ',') {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

/// Rows of tests/data/models.csv, which has no quoted cells.
inline std::vector<Row> published_models() {
    std::ifstream file{PRISMLLM_SOURCE_DIR "/tests/data/models.csv"};
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = cells_of(line);
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = cells_of(line);
        Row row;
        for (std::size_t i = 0; i < names.size(); ++i) {
            row[names[i]] = cells.at(i);
        }
        rows.push_back(row);
    }
    return rows;
}

/// 0 where the cell is empty: the column does not apply to the model.
inline std::int64_t number(const Row& row, const char* column) {
    const std::string& cell = row.at(column);
    return cell.empty() ? 0 : std::stoll(cell);
}

inline Model model_of(const Row& row) {
    Model model;
    model.name = row.at("model");
    model.layers = number(row, "layers");
    model.hidden_size = number(row, "hidden");
    model.ffn_hidden_size = number(row, "ffn");
    model.attention_heads = number(row, "heads");
    model.kv_heads = number(row, "kv_heads");
    model.head_dim = number(row, "head_dim");
    model.vocab_size = number(row, "vocab");
    model.gated_mlp = row.at("gated_mlp") == "1";
    model.tied_embeddings = row.at("tied") == "1";
    model.qkv_bias = row.at("qkv_bias") == "1";
    model.attention_output_bias = row.at("o_bias") == "1";
    model.mlp_bias = row.at("mlp_bias") == "1";
    model.qk_norm = row.at("qk_norm") == "1";
    model.embedding_norm = row.at("emb_norm") == "1";
    model.norm = row.at("norm") == "ln" ? NormKind::layernorm : NormKind::rmsnorm;
    model.norms_per_layer = number(row, "norms_per_layer");
    model.max_positions = number(row, "learned_pos");
    model.positions = model.max_positions > 0 ? PositionKind::learned : PositionKind::rope;
    model.attention_sinks = row.at("attn_sinks") == "1";
    model.experts = number(row, "experts");
    model.experts_per_token = number(row, "topk");
    model.expert_ffn_hidden_size = number(row, "expert_ffn");
    model.shared_expert_ffn_hidden_size = number(row, "shared_ffn");
    model.shared_expert_gate = row.at("shared_gate") == "1";
    model.router_correction_bias = row.at("router_correction_bias") == "1";
    model.first_dense_layers = model.experts > 0 ? number(row, "dense_layers") : 0;
    return model;
}

}  // namespace prismllm::target
