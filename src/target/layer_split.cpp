// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// How decoder layers are dealt to virtual stages. Layers are never dropped: a split that does
// not come out even is refused with one that would do.
#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include "prismllm/target/layout.hpp"

#include "problems.hpp"

namespace prismllm::target {
namespace {

using Split = std::vector<std::int64_t>;

/// As even as it gets, the longer stages first: 30 layers over 4 stages are 8, 8, 7, 7. With
/// fewer layers than stages the ends go without, since they have other work.
Split nearly_even(std::int64_t layers, std::int64_t stages) {
    Split split(static_cast<std::size_t>(stages), layers / stages);
    if (layers + 2 == stages) {
        std::fill(split.begin() + 1, split.end() - 1, 1);
        return split;
    }
    std::fill_n(split.begin(), layers % stages, layers / stages + 1);
    return split;
}

/// An even split as a reader can copy it; long ones are described.
std::string suggested(std::int64_t layers, std::int64_t stages) {
    if (stages > 32) {
        return fmt::format("{} entries of {} or {}", stages, layers / stages, layers / stages + 1);
    }
    return fmt::format("[{}]", fmt::join(nearly_even(layers, stages), ", "));
}

Expected<Split> explicit_split(const Model& model, const Parallel& parallel) {
    const std::int64_t stages = parallel.pipeline * parallel.virtual_pipeline;
    const Split& given = parallel.stage_layers;
    Problems problems;
    if (static_cast<std::int64_t>(given.size()) != stages) {
        problems.add(
            "parallel.stage_layers has {} entries for {} stages (pipeline_parallel {} x "
            "virtual_pipeline {}, one entry each). Give {} entries, e.g. {}.",
            given.size(), stages, parallel.pipeline, parallel.virtual_pipeline, stages,
            suggested(model.layers, stages));
    }
    // Only the ends have work besides layers: the embedding, the head and the loss.
    for (std::size_t i = 0; i < given.size(); ++i) {
        const bool end = i == 0 || i + 1 == given.size();
        if (given[i] < (end ? 0 : 1) || given[i] > model.layers) {
            problems.add(
                "parallel.stage_layers entry {} is {} (only the first and the last stage may "
                "hold no layer, none more than model.layers). Use {} to {}.",
                i, given[i], end ? 0 : 1, model.layers);
        }
    }
    const std::int64_t sum = std::accumulate(given.begin(), given.end(), std::int64_t{0});
    if (sum != model.layers) {
        problems.add(
            "parallel.stage_layers sum to {} (model.layers is {} and every layer has one "
            "place). Change the entries or set model.layers to {}.",
            sum, model.layers, sum);
    }
    if (!problems.empty()) {
        return tl::unexpected{problems.error()};
    }
    return given;
}

/// Layers of pipeline stage `stage` spread over its chunks.
Split over_chunks(const Split& per_stage, std::int64_t chunks) {
    Split split;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        for (const std::int64_t layers : per_stage) {
            split.push_back(layers / chunks);
        }
    }
    return split;
}

/// Megatron-LM's --decoder-first/last-pipeline-num-layers: the stages between share the rest.
Expected<Split> split_with_given_ends(const Model& model, const Parallel& parallel) {
    const std::int64_t first = parallel.first_stage_layers;
    const std::int64_t last = parallel.last_stage_layers;
    const std::int64_t given = (first > 0 ? 1 : 0) + (last > 0 ? 1 : 0);
    const std::int64_t middle = parallel.pipeline - given;
    const std::int64_t rest = model.layers - first - last;
    const std::int64_t chunks = parallel.virtual_pipeline;
    if (middle < 0) {
        return fail(ErrorCode::bad_deck,
                    "parallel.first_stage_layers and last_stage_layers are both given (with "
                    "pipeline_parallel {} they are the same stage). Leave them out.",
                    parallel.pipeline);
    }
    const bool fits = rest >= 0 && (middle == 0 ? rest == 0 : rest % (middle * chunks) == 0);
    if (!fits || first % chunks != 0 || last % chunks != 0 || (middle > 0 && rest == 0)) {
        return fail(ErrorCode::bad_deck,
                    "parallel.first_stage_layers {} and last_stage_layers {} leave {} of {} "
                    "model.layers for {} stages of {} chunks (each chunk of the stages between "
                    "takes the same number, and the chunks of a stage are equal). Choose ends "
                    "so that this divides, or give parallel.stage_layers = {}.",
                    first, last, rest, model.layers, middle, chunks,
                    suggested(model.layers, parallel.pipeline * chunks));
    }
    Split per_stage(static_cast<std::size_t>(parallel.pipeline), middle > 0 ? rest / middle : 0);
    if (first > 0) {
        per_stage.front() = first;
    }
    if (last > 0) {
        per_stage.back() = last;
    }
    return over_chunks(per_stage, chunks);
}

/// What would make the layers divide: other stage counts, counting the ends, an explicit split.
std::string ways_out(const Model& model, const Parallel& parallel, std::int64_t counted) {
    const std::int64_t stages = parallel.pipeline * parallel.virtual_pipeline;
    const std::int64_t units = model.layers + counted;
    std::string ways;
    const std::string sizes = nearest_values(parallel.pipeline, units, [&](std::int64_t p) {
        const std::int64_t beside = capped_product(parallel.tensor, parallel.context);
        return units % capped_product(p, parallel.virtual_pipeline) == 0 &&
               parallel.world_size % capped_product(beside, p) == 0 &&
               (p > 1 || parallel.virtual_pipeline == 1);
    });
    if (!sizes.empty()) {
        ways += fmt::format("parallel.pipeline_parallel {}; ", sizes);
    }
    if ((model.layers + 2) % stages == 0) {
        ways += "parallel.count_embedding_in_split and count_loss_in_split both true; ";
    } else if ((model.layers + 1) % stages == 0) {
        ways += "parallel.count_loss_in_split alone true; ";
    }
    return ways + fmt::format("parallel.stage_layers = {}{}", suggested(model.layers, stages),
                              counted > 0 ? " without counting embedding and loss" : "");
}

/// Equal virtual stages; the embedding and the loss may each take the room of one layer.
Expected<Split> even_split(const Model& model, const Parallel& parallel) {
    const std::int64_t stages = parallel.pipeline * parallel.virtual_pipeline;
    const std::int64_t before = parallel.count_embedding_in_split ? 1 : 0;
    const std::int64_t after = parallel.count_loss_in_split ? 1 : 0;
    const std::int64_t units = model.layers + before + after;
    if (units % stages != 0 || units < stages) {
        return fail(ErrorCode::bad_deck,
                    "model.layers {}{} do not divide evenly over {} stages (pipeline_parallel {} "
                    "x virtual_pipeline {}; no layer may be lost). Any of these would do: {}.",
                    model.layers,
                    before + after == 0
                        ? ""
                        : fmt::format(" and {} for embedding and loss", before + after),
                    stages, parallel.pipeline, parallel.virtual_pipeline,
                    ways_out(model, parallel, before + after));
    }
    Split split(static_cast<std::size_t>(stages), units / stages);
    split.front() -= before;
    split.back() -= after;
    return split;
}

}  // namespace

Expected<std::vector<std::int64_t>> split_layers(const Model& model, const Parallel& parallel) {
    PRISMLLM_ASSERT(model.layers > 0 && parallel.pipeline > 0 && parallel.virtual_pipeline > 0,
                    "sizes are checked before layers are dealt");
    const std::int64_t stages = capped_product(parallel.pipeline, parallel.virtual_pipeline);
    if (stages > model.layers + 2) {
        return fail(ErrorCode::bad_deck,
                    "parallel.pipeline_parallel {} x virtual_pipeline {} make {} stages (model."
                    "layers is {}; besides layers only an embedding and a loss stage have work). "
                    "Use at most {} stages.",
                    parallel.pipeline, parallel.virtual_pipeline, stages, model.layers,
                    model.layers + 2);
    }
    const bool listed = !parallel.stage_layers.empty();
    const bool ends = parallel.first_stage_layers > 0 || parallel.last_stage_layers > 0;
    const bool counted = parallel.count_embedding_in_split || parallel.count_loss_in_split;
    if ((listed ? 1 : 0) + (ends ? 1 : 0) + (counted ? 1 : 0) > 1) {
        return fail(ErrorCode::bad_deck,
                    "the layer split is given in more than one way (parallel.stage_layers, "
                    "first/last_stage_layers and count_embedding/loss_in_split exclude each "
                    "other). Keep one of them.");
    }
    if (listed) {
        return explicit_split(model, parallel);
    }
    return ends ? split_with_given_ends(model, parallel) : even_split(model, parallel);
}

}  // namespace prismllm::target
