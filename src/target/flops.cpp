// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Formulas and where they are used: docs/explanation/model_counts.md.
#include <array>

#include "prismllm/target/parameters.hpp"

namespace prismllm::target {
namespace {

/// Forward and backward of one sequence, by part of the model. A multiply-add is 2 FLOPs and
/// the backward pass costs twice the forward pass, hence 6 a weight and token.
struct SequenceFlops {
    double layers = 0;     ///< matrix products of all layers
    double attention = 0;  ///< scores and their product with V, every position seeing all others
    double head = 0;       ///< output projection to the vocabulary
};

SequenceFlops matrix_flops(const Model& model, const Training& training) {
    const auto sequence = static_cast<double>(training.sequence_length);
    const auto hidden = static_cast<double>(model.hidden_size);
    const auto layers = static_cast<double>(model.layers);
    const auto dense =
        static_cast<double>(model.experts > 0 ? model.first_dense_layers : model.layers);
    const auto query_width = static_cast<double>(model.attention_heads * model.head_dim);
    const auto kv_width = static_cast<double>(model.kv_heads * model.head_dim);
    const auto ffn = static_cast<double>(model.ffn_hidden_size);
    const double mlp_matrices = model.gated_mlp ? 3 : 2;

    // The router is left out, as Megatron-LM does: a few columns beside the experts' thousands.
    const auto met = static_cast<double>(model.experts_per_token * model.expert_ffn_hidden_size +
                                         model.shared_expert_ffn_hidden_size);
    const double columns = dense * ffn + (layers - dense) * met;
    const double weights =
        hidden * (layers * (2 * query_width + 2 * kv_width) + mlp_matrices * columns);
    SequenceFlops flops;
    flops.layers = 6 * sequence * weights;
    flops.attention = 12 * sequence * sequence * layers * query_width;
    flops.head = 6 * sequence * hidden * static_cast<double>(model.vocab_size);
    return flops;
}

/// 6 N: every parameter that a token meets but the tables that are looked up; the head counts even
/// when tied.
double parameter_flops(const Model& model, const Training& training) {
    const ParameterCount count = count_parameters(model);
    const std::int64_t head = model.vocab_size * model.hidden_size;
    const std::int64_t multiplied = count.active - count.embedding - count.head + head;
    return 6 * static_cast<double>(multiplied) * static_cast<double>(training.sequence_length);
}

struct FormulaName {
    FlopsFormula formula;
    std::string_view name;
};
constexpr std::array<FormulaName, 4> formula_names{{
    {FlopsFormula::megatron, "megatron"},
    {FlopsFormula::palm, "palm"},
    {FlopsFormula::causal, "causal"},
    {FlopsFormula::hardware_full_recompute, "hardware_full_recompute"},
}};

}  // namespace

double flops_per_iteration(const Model& given, const Training& training, FlopsFormula formula) {
    const Model model = with_defaults(given);
    const auto sequences = static_cast<double>(training.global_batch_size);
    const SequenceFlops flops = matrix_flops(model, training);
    switch (formula) {
        case FlopsFormula::megatron:
            return sequences * (flops.layers + flops.attention + flops.head);
        case FlopsFormula::palm:
            return sequences * (parameter_flops(model, training) + flops.attention);
        case FlopsFormula::causal:
            return sequences * (parameter_flops(model, training) + flops.attention / 2);
        case FlopsFormula::hardware_full_recompute:
            // The layers run forward twice (4 passes' worth instead of 3); the head does not.
            return sequences * ((flops.layers + flops.attention) * 4 / 3 + flops.head);
    }
    return 0;
}

std::string_view name_of(FlopsFormula formula) {
    for (const FormulaName& entry : formula_names) {
        if (entry.formula == formula) {
            return entry.name;
        }
    }
    return "unknown";
}

std::optional<FlopsFormula> flops_formula_named(std::string_view name) {
    for (const FormulaName& entry : formula_names) {
        if (entry.name == name) {
            return entry.formula;
        }
    }
    return std::nullopt;
}

}  // namespace prismllm::target
