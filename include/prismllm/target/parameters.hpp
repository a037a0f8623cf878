// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/target/parameters.hpp
/// Parameter and FLOP counts of a decoder. Formulas: docs/explanation/model_counts.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "prismllm/target/job.hpp"
#include "prismllm/target/layout.hpp"

namespace prismllm::target {

/// Parameters of the whole model, vocabulary unpadded.
struct ParameterCount {
    std::int64_t layer = 0;        ///< one transformer layer, with experts if the model has them
    std::int64_t dense_layer = 0;  ///< one of first_dense_layers; `layer` in a dense model
    std::int64_t embedding = 0;    ///< token, position tables and embedding norm
    std::int64_t head = 0;         ///< 0 when tied
    std::int64_t final_norm = 0;
    std::int64_t total = 0;
    std::int64_t active = 0;  ///< of the total, what one token meets: not the experts it passes by
};
[[nodiscard]] ParameterCount count_parameters(const Model& model);

/// Parameters that one rank of pipeline stage `stage` holds over all its chunks, padded
/// vocabulary, tensor-parallel shards, its own experts; a tied head is held again by the last
/// stage.
[[nodiscard]] std::int64_t parameters_on_stage(const Model& model, const Layout& layout,
                                               std::int64_t stage);

/// The formulas that published numbers are printed with.
enum class FlopsFormula : std::uint8_t {
    megatron,  ///< 72 B s L h^2 (1 + s/6h + V/12Lh), generalized to GQA, gated MLP, experts
    palm,      ///< 6 N (no input embedding) + 12 L h s a token
    causal,    ///< as palm with half of the attention: 6 L h s
    hardware_full_recompute,  ///< 96 B s L h^2 (1 + s/6h + V/16Lh): SC21 and MT-NLG figures
};
/// Name of a formula in decks and reports, e.g. "palm".
[[nodiscard]] std::string_view name_of(FlopsFormula formula);
/// The formula of that name, nothing if there is none.
[[nodiscard]] std::optional<FlopsFormula> flops_formula_named(std::string_view name);

/// FLOPs of one iteration over the whole job. Recomputation is counted by
/// hardware_full_recompute only. Of experts, those that a token is sent to count.
[[nodiscard]] double flops_per_iteration(const Model& model, const Training& training,
                                         FlopsFormula formula);

}  // namespace prismllm::target
