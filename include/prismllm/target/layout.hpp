// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/target/layout.hpp
/// What follows from the parallel settings: sizes, coordinates of a rank, process-group
/// families, and which layers each virtual stage holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::target {

/// Position of a rank along every axis.
struct Coordinates {
    std::int64_t tensor = 0, context = 0, data = 0, pipeline = 0;
    bool operator==(const Coordinates&) const = default;
};

/// What one virtual stage (pipeline stage p, chunk c; virtual stage number c * pp + p) computes.
struct StageWork {
    std::int64_t first_layer = 0;
    std::int64_t layer_count = 0;
    bool embedding = false;  ///< first virtual stage: token (and position) embedding
    bool loss = false;       ///< last virtual stage: final norm, head, loss
};

/// Derived sizes and groups; immutable. Make it with make_layout.
struct Layout {
    std::int64_t world_size = 1;
    std::int64_t tensor = 1, context = 1, data = 1, pipeline = 1;
    /// The expert layers' mesh over the same ranks and pipeline stages; there, context ranks count
    /// as data. Used only if experts_per_rank is above 0.
    std::int64_t expert_tensor = 1, expert = 1, expert_data = 1;
    std::int64_t experts_per_rank = 0;  ///< of each layer with experts; 0: a dense model
    std::int64_t virtual_pipeline = 1;
    RankOrder order = RankOrder::tp_cp_ep_dp_pp;
    std::int64_t micro_batches = 1;      ///< per iteration and data-parallel replica
    std::int64_t padded_vocab = 0;       ///< rows of the embedding over all tensor ranks
    std::int64_t kv_heads_per_rank = 1;  ///< at least 1; more copies when tensor > kv_heads
    std::vector<StageWork> stages;       ///< [virtual stage]

    [[nodiscard]] Coordinates coordinates(std::int64_t rank) const;
    [[nodiscard]] std::int64_t rank_of(const Coordinates& c) const;
    /// Work of chunk `chunk` on pipeline stage `stage`.
    [[nodiscard]] const StageWork& work(std::int64_t stage, std::int64_t chunk) const {
        return stages[static_cast<std::size_t>(chunk * pipeline + stage)];
    }
};

/// Numbers of the families a training step uses, in the order of `families_of`. Families of one
/// rank a group are made too (they still cost memory and must show), except embedding.
struct FamilyNumbers {
    graph::FamilyIndex tensor = 0;
    graph::FamilyIndex context = 1;
    graph::FamilyIndex data = 2;          ///< dp alone
    graph::FamilyIndex data_context = 3;  ///< dp x cp: gradients reduce over it
    graph::FamilyIndex pipeline = 4;
    graph::FamilyIndex embedding = 5;  ///< first and last pipeline stage (tied embeddings)
    graph::FamilyIndex model = 6;      ///< tp x pp: gradient norm without distributed optimizer
    graph::FamilyIndex world = 7;
    // Of models with experts only.
    graph::FamilyIndex expert = 8;         ///< ranks that hold the experts of a layer between them
    graph::FamilyIndex expert_tensor = 9;  ///< ranks that share each expert's matrices
    graph::FamilyIndex expert_data = 10;   ///< holders of the same experts: their gradients
    graph::FamilyIndex expert_mesh = 11;   ///< etp x ep: tokens are dispatched over it
    graph::FamilyIndex expert_model = 12;  ///< etp x ep x pp: norm of the experts' gradients
};

/// Regular families in FamilyNumbers order, named tp, cp, dp, dp_cp, pp, embedding, model, world
/// and, with experts, ep, etp, edp, etp_ep, etp_ep_pp. As Megatron-LM's two rank generators: a
/// tp-cp-dp-pp mesh for everything but experts, an etp-ep-edp-pp mesh for them, in one order.
[[nodiscard]] std::vector<graph::Family> families_of(const Layout& layout);

/// Check the settings against each other and derive the layout. All problems are reported at
/// once, one a line, each naming the deck keys and the values that would do.
/// Megatron rules: world = tp x cp x dp x pp = etp x ep x edp x pp, both with the same pipeline
/// groups; global batch = micro batch x dp x micro-batches;
/// the interleaved schedule takes rounds = max(1, m / pp) and m must be a multiple of them;
/// layers that do not divide are refused unless stage sizes are given or derivable
/// (first/last_stage_layers, stage_layers, count_embedding/loss_in_split).
[[nodiscard]] Expected<Layout> make_layout(const Model& model, const Parallel& parallel,
                                           const Training& training);

/// Layers that a split gives every virtual stage; sums to model layers always.
[[nodiscard]] Expected<std::vector<std::int64_t>> split_layers(const Model& model,
                                                               const Parallel& parallel);

/// vocab rounded up to a multiple of multiple x tensor (Megatron-LM's padding).
[[nodiscard]] std::int64_t pad_vocabulary(std::int64_t vocab, std::int64_t multiple,
                                          std::int64_t tensor);

/// Model settings with every 0-means-default field filled in.
[[nodiscard]] Model with_defaults(Model model);

}  // namespace prismllm::target
