// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "expert_check.hpp"

#include <numeric>

namespace prismllm::target {
namespace {

/// Keys that only a model with experts has are not dropped silently.
void check_dense(const Model& model, const Parallel& parallel, Problems& problems) {
    std::string keys;
    const auto collect = [&](const char* key, bool given) {
        if (given) {
            keys += (keys.empty() ? "model." : ", model.") + std::string{key};
        }
    };
    collect("experts_per_token", model.experts_per_token != 0);
    collect("expert_ffn_hidden_size", model.expert_ffn_hidden_size != 0);
    collect("shared_expert_ffn_hidden_size", model.shared_expert_ffn_hidden_size != 0);
    collect("shared_expert_gate", model.shared_expert_gate);
    collect("router_correction_bias", model.router_correction_bias);
    collect("first_dense_layers", model.first_dense_layers != 0);
    if (!keys.empty()) {
        problems.add(
            "{} given without model.experts (the model is dense: it has no experts to shape). "
            "Leave out what is given, or set model.experts to 1 or more.",
            keys);
    }
    if (parallel.expert > 1) {
        problems.add(
            "parallel.expert_parallel is {} (the model is dense: it has no experts to spread). "
            "Use 1.",
            parallel.expert);
    }
    if (parallel.expert_tensor != 0) {
        problems.add(
            "parallel.expert_tensor_parallel is {} (the model is dense: it has no experts to cut). "
            "Use 0.",
            parallel.expert_tensor);
    }
}

void check_shape(const Model& model, Problems& problems) {
    if (model.experts_per_token < 1 || model.experts_per_token > model.experts) {
        problems.add(
            "model.experts_per_token is {} (each token is sent to some of model.experts {}). Use "
            "1 to {}.",
            model.experts_per_token, model.experts, model.experts);
    }
    if (model.first_dense_layers >= model.layers) {
        problems.add(
            "model.first_dense_layers is {} (that leaves none of model.layers {} to the experts). "
            "Use 0 to {}, or model.experts 0.",
            model.first_dense_layers, model.layers, model.layers - 1);
    }
    if (model.shared_expert_gate && model.shared_expert_ffn_hidden_size == 0) {
        problems.add(
            "model.shared_expert_gate is true without shared experts (it has nothing to gate). Set "
            "it to false or give model.shared_expert_ffn_hidden_size.");
    }
}

/// Whether the ranks hold all experts a whole number of times.
bool is_mesh(const Parallel& parallel, std::int64_t expert_tensor, std::int64_t expert) {
    const std::int64_t beside = capped_product(expert_tensor, parallel.pipeline);
    return parallel.world_size % capped_product(beside, expert) == 0;
}

void check_cuts(const Model& model, const Parallel& parallel, Problems& problems) {
    const std::int64_t cut = expert_tensor_of(parallel);
    if (model.experts % parallel.expert != 0) {
        problems.add(
            "model.experts {} is not divisible by parallel.expert_parallel {} (each rank holds "
            "equally many). Use expert_parallel {}.",
            model.experts, parallel.expert,
            nearest_fitting(
                parallel.expert, model.experts,
                [&](std::int64_t e) { return model.experts % e == 0; },
                [&](std::int64_t e) { return is_mesh(parallel, cut, e); }));
    }
    if (model.expert_ffn_hidden_size % cut != 0) {
        problems.add(
            "model.expert_ffn_hidden_size {} is not divisible by parallel.expert_tensor_parallel "
            "{} (each expert is cut by columns). Use expert_tensor_parallel {}.",
            model.expert_ffn_hidden_size, cut,
            nearest_fitting(
                cut, model.expert_ffn_hidden_size,
                [&](std::int64_t t) { return model.expert_ffn_hidden_size % t == 0; },
                [&](std::int64_t t) { return is_mesh(parallel, t, parallel.expert); }));
    }
    if (parallel.tensor > 1 && !parallel.sequence) {
        problems.add(
            "parallel.sequence_parallel is false with experts and tensor_parallel {} (every rank "
            "dispatches tokens of its own). Set it to true or use tensor_parallel 1.",
            parallel.tensor);
    }
}

/// The second mesh: etp x ep x edp x pp over the same ranks.
void check_mesh(const Model& model, const Parallel& parallel, Problems& problems) {
    const std::int64_t cut = expert_tensor_of(parallel);
    const std::int64_t beside = capped_product(cut, parallel.pipeline);
    const std::int64_t holders = capped_product(beside, parallel.expert);
    const std::int64_t dense = capped_product(parallel.tensor, parallel.context);
    if (parallel.world_size % holders != 0) {
        const std::int64_t replica = capped_product(dense, parallel.pipeline);
        const std::int64_t whole = capped_product(holders / std::gcd(holders, replica), replica);
        const std::string sizes = nearest_values(
            parallel.expert, model.experts,
            [&](std::int64_t e) { return model.experts % e == 0 && is_mesh(parallel, cut, e); });
        problems.add(
            "parallel.world_size {} is not a multiple of {} (expert_tensor_parallel {} x "
            "expert_parallel {} x pipeline_parallel {}: the ranks that hold all experts once). Use "
            "{}world_size {}.",
            parallel.world_size, holders, cut, parallel.expert, parallel.pipeline,
            sizes.empty() ? "" : fmt::format("expert_parallel {}, or ", sizes),
            nearest_multiples(parallel.world_size, whole));
        return;
    }
    const std::int64_t experts = capped_product(cut, parallel.expert);
    if (parallel.order == RankOrder::tp_cp_ep_pp_dp && parallel.pipeline > 1 && dense != experts) {
        // Megatron-LM asserts it: a stage sends to the same rank whatever its last layer is.
        problems.add(
            "parallel.rank_order tp-cp-ep-pp-dp puts {} ranks of a stage side by side in dense "
            "layers (tensor_parallel {} x context_parallel {}) but {} in expert layers "
            "(expert_tensor_parallel {} x expert_parallel {}), so their pipeline groups differ. "
            "Use rank_order tp-cp-ep-dp-pp{}.",
            dense, parallel.tensor, parallel.context, experts, cut, parallel.expert,
            dense % cut == 0 && model.experts % (dense / cut) == 0
                ? fmt::format(" or expert_parallel {}", dense / cut)
                : "");
    }
}

}  // namespace

void check_experts(const Model& model, const Parallel& parallel, Problems& problems) {
    if (model.experts == 0) {
        check_dense(model, parallel, problems);
        return;
    }
    check_shape(model, problems);
    check_cuts(model, parallel, problems);
    check_mesh(model, parallel, problems);
}

}  // namespace prismllm::target
