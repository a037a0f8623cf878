// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// make_layout: what of the settings does not fit together, all of it, and the layout if it does.
#include <algorithm>
#include <cstdint>

#include "prismllm/target/layout.hpp"

#include "expert_check.hpp"
#include "problems.hpp"

namespace prismllm::target {

namespace {

// Op::layer and Op::micro_batch of the execution graph are 16-bit.
constexpr std::int64_t most_layers = INT16_MAX;
constexpr std::int64_t most_micro_batches = INT16_MAX;
// Far beyond any real job; they keep products of a few settings inside int64.
constexpr std::int64_t most_ranks = 1 << 24;
constexpr std::int64_t most_heads = 1 << 14;
constexpr std::int64_t most_width = 1 << 22;
constexpr std::int64_t most_experts = 1 << 14;
constexpr std::int64_t most_items = 1 << 28;

/// Nothing else is looked at until these are in range: the checks divide by them.
void check_sizes(const Model& model, const Parallel& parallel, const Training& training,
                 Problems& problems) {
    const auto within = [&](const char* key, std::int64_t value, std::int64_t least,
                            std::int64_t most) {
        if (value < least || value > most) {
            problems.add("{} is {} (out of range). Use {} to {}.", key, value, least, most);
        }
    };
    within("model.layers", model.layers, 1, most_layers);
    within("model.hidden_size", model.hidden_size, 1, most_width);
    within("model.ffn_hidden_size", model.ffn_hidden_size, 1, 4 * most_width);
    within("model.attention_heads", model.attention_heads, 1, most_heads);
    within("model.kv_heads", model.kv_heads, 1, most_heads);
    within("model.head_dim", model.head_dim, 0, most_width);
    within("model.vocab_size", model.vocab_size, 1, most_items);
    within("model.norms_per_layer", model.norms_per_layer, 0, 8);
    within("model.experts", model.experts, 0, most_experts);
    within("model.experts_per_token", model.experts_per_token, 0, most_experts);
    within("model.expert_ffn_hidden_size", model.expert_ffn_hidden_size, 0, 4 * most_width);
    within("model.shared_expert_ffn_hidden_size", model.shared_expert_ffn_hidden_size, 0,
           4 * most_width);
    within("model.first_dense_layers", model.first_dense_layers, 0, most_layers);
    within("parallel.world_size", parallel.world_size, 1, most_ranks);
    within("parallel.tensor_parallel", parallel.tensor, 1, most_ranks);
    within("parallel.context_parallel", parallel.context, 1, most_ranks);
    within("parallel.expert_parallel", parallel.expert, 1, most_ranks);
    within("parallel.expert_tensor_parallel", parallel.expert_tensor, 0, most_ranks);
    within("parallel.pipeline_parallel", parallel.pipeline, 1, most_ranks);
    within("parallel.virtual_pipeline", parallel.virtual_pipeline, 1, most_ranks);
    within("parallel.first_stage_layers", parallel.first_stage_layers, 0, most_layers);
    within("parallel.last_stage_layers", parallel.last_stage_layers, 0, most_layers);
    within("parallel.vocab_padding", parallel.vocab_padding, 1, most_width);
    within("parallel.zero_stage", parallel.zero_stage, 0, 1);
    within("training.micro_batch_size", training.micro_batch_size, 1, most_items);
    within("training.global_batch_size", training.global_batch_size, 1, most_items);
    within("training.sequence_length", training.sequence_length, 1, most_items);
}

std::int64_t ranks_per_replica(const Parallel& parallel) {
    return capped_product(capped_product(parallel.tensor, parallel.context), parallel.pipeline);
}

void check_world(const Parallel& parallel, const Training& training, Problems& problems) {
    const std::int64_t replica = ranks_per_replica(parallel);
    // Worlds of whole replicas, of which each gets as many samples.
    const auto shares = [&](std::int64_t data) {
        return training.global_batch_size % capped_product(training.micro_batch_size, data) == 0;
    };
    if (parallel.world_size % replica != 0) {
        const std::string sizes =
            nearest_multiples(parallel.world_size, replica, most_ranks, shares);
        problems.add(
            "parallel.world_size {} is not a multiple of {} (tensor_parallel {} x "
            "context_parallel {} x pipeline_parallel {}: the ranks of one data-parallel "
            "replica). Use world_size {}.",
            parallel.world_size, replica, parallel.tensor, parallel.context, parallel.pipeline,
            sizes.empty() ? nearest_multiples(parallel.world_size, replica) : sizes);
    }
}

bool has_dense_layers(const Model& model) {
    return !model.has_experts(0);
}

/// Whether `tensor` ranks can share the heads, the KV heads and the MLP.
bool tensor_size_fits(const Model& model, bool kv_replication, std::int64_t tensor) {
    const bool kv =
        model.kv_heads % tensor == 0 || (kv_replication && tensor % model.kv_heads == 0);
    const bool mlp = !has_dense_layers(model) || model.ffn_hidden_size % tensor == 0;
    return kv && mlp && model.attention_heads % tensor == 0 &&
           model.shared_expert_ffn_hidden_size % tensor == 0;
}

/// Whether ranks, samples and the sequence can be cut with `tensor` ranks a matrix.
bool tensor_size_suits(const Parallel& parallel, const Training& training, std::int64_t tensor) {
    Parallel changed = parallel;
    changed.tensor = tensor;
    const std::int64_t replica = ranks_per_replica(changed);
    return parallel.world_size % replica == 0 &&
           training.global_batch_size %
                   capped_product(training.micro_batch_size, parallel.world_size / replica) ==
               0 &&
           (!parallel.sequence || (tensor > 1 && training.sequence_length % tensor == 0));
}

void check_tensor(const Model& model, const Parallel& parallel, const Training& training,
                  Problems& problems) {
    const std::int64_t tensor = parallel.tensor;
    const std::string sizes = nearest_fitting(
        tensor, model.attention_heads,
        [&](std::int64_t t) { return tensor_size_fits(model, parallel.kv_replication, t); },
        [&](std::int64_t t) { return tensor_size_suits(parallel, training, t); });
    const auto indivisible = [&](const char* key, std::int64_t value, const char* why) {
        problems.add(
            "{} {} is not divisible by parallel.tensor_parallel {} ({}). Use "
            "tensor_parallel {}.",
            key, value, tensor, why, sizes);
    };
    if (model.attention_heads % tensor != 0) {
        indivisible("model.attention_heads", model.attention_heads, "each rank holds whole heads");
    }
    if (has_dense_layers(model) && model.ffn_hidden_size % tensor != 0) {
        indivisible("model.ffn_hidden_size", model.ffn_hidden_size, "the MLP is cut by columns");
    }
    if (model.shared_expert_ffn_hidden_size % tensor != 0) {
        indivisible("model.shared_expert_ffn_hidden_size", model.shared_expert_ffn_hidden_size,
                    "shared experts are cut by columns, as the MLP is");
    }
    if (model.kv_heads % tensor == 0) {
        return;
    }
    const bool copies_fit = tensor % model.kv_heads == 0;
    if (copies_fit && !parallel.kv_replication) {
        problems.add(
            "model.kv_heads {} is less than parallel.tensor_parallel {} (a K and V head has no "
            "part of it on every rank). Use tensor_parallel {}, or set parallel.kv_replication "
            "= true to keep each head {} times.",
            model.kv_heads, tensor, sizes, tensor / model.kv_heads);
    } else if (!copies_fit) {
        indivisible("model.kv_heads", model.kv_heads, "each rank holds whole K and V heads");
    }
}

void check_model(const Model& given, const Model& model, const Parallel& parallel,
                 const Training& training, Problems& problems) {
    if (given.head_dim == 0 && model.hidden_size % model.attention_heads != 0) {
        problems.add(
            "model.hidden_size {} is not divisible by model.attention_heads {} (model.head_dim "
            "is not given, so it is their quotient). Use attention_heads {}, or give head_dim.",
            model.hidden_size, model.attention_heads,
            nearest_fitting(
                model.attention_heads, model.hidden_size,
                [&](std::int64_t heads) { return model.hidden_size % heads == 0; },
                [&](std::int64_t heads) {
                    return heads % parallel.tensor == 0 &&
                           (given.kv_heads == 0 || heads % given.kv_heads == 0);
                }));
    }
    if (model.attention_heads % model.kv_heads != 0) {
        problems.add(
            "model.attention_heads {} is not a multiple of model.kv_heads {} (equally many "
            "query heads share each K and V head). Use kv_heads {}.",
            model.attention_heads, model.kv_heads,
            nearest_fitting(
                model.kv_heads, model.attention_heads,
                [&](std::int64_t kv) { return model.attention_heads % kv == 0; },
                [&](std::int64_t kv) { return kv % parallel.tensor == 0; }));
    }
    if (model.positions == PositionKind::learned &&
        model.max_positions < training.sequence_length) {
        problems.add(
            "model.max_positions {} is less than training.sequence_length {} (a learned table "
            "has one row a position). Use at least {} or shorten the sequence.",
            model.max_positions, training.sequence_length, training.sequence_length);
    }
}

void check_sequence(const Parallel& parallel, const Training& training, Problems& problems) {
    if (parallel.sequence && parallel.tensor == 1) {
        problems.add(
            "parallel.sequence_parallel is true with tensor_parallel 1 (it shards over the "
            "tensor-parallel ranks). Set it to false or use tensor_parallel 2 or more.");
    }
    // Context parallelism deals 2 chunks a rank, one from each end, to balance causal attention.
    const std::int64_t chunks = parallel.context > 1 ? 2 * parallel.context : 1;
    const std::int64_t unit = chunks * (parallel.sequence ? parallel.tensor : 1);
    if (training.sequence_length % unit != 0) {
        problems.add(
            "training.sequence_length {} is not a multiple of {} ({}{}{}). Use {}.",
            training.sequence_length, unit,
            chunks > 1
                ? fmt::format("context_parallel {} takes two chunks a rank", parallel.context)
                : "",
            chunks > 1 && parallel.sequence ? ", " : "",
            parallel.sequence
                ? fmt::format("sequence_parallel cuts it by tensor_parallel {}", parallel.tensor)
                : "",
            nearest_multiples(training.sequence_length, unit));
    }
}

/// Rounds of an interleaved schedule; each round takes the same number of micro-batches.
std::int64_t rounds_of(std::int64_t micro_batches, std::int64_t pipeline) {
    return std::max<std::int64_t>(1, micro_batches / pipeline);
}

void check_batches(const Parallel& parallel, const Training& training, Problems& problems) {
    const std::int64_t data = parallel.world_size / ranks_per_replica(parallel);
    const std::int64_t step = capped_product(training.micro_batch_size, data);
    if (training.global_batch_size % step != 0) {
        problems.add(
            "training.global_batch_size {} is not a multiple of {} (micro_batch_size {} x "
            "data-parallel size {}). Use {}.",
            training.global_batch_size, step, training.micro_batch_size, data,
            nearest_multiples(training.global_batch_size, step));
        return;
    }
    const std::int64_t micro_batches = training.global_batch_size / step;
    if (micro_batches > most_micro_batches) {
        problems.add(
            "training.global_batch_size {} makes {} micro-batches (at most {} are supported). "
            "Use a larger micro_batch_size or at most {}.",
            training.global_batch_size, micro_batches, most_micro_batches,
            most_micro_batches * step);
    } else if (parallel.virtual_pipeline > 1 &&
               micro_batches % rounds_of(micro_batches, parallel.pipeline) != 0) {
        const std::string batches = nearest_values(
            micro_batches, 2 * micro_batches,
            [&](std::int64_t m) { return m % rounds_of(m, parallel.pipeline) == 0; }, step);
        problems.add(
            "training.global_batch_size {} makes {} micro-batches, which do not divide into {} "
            "rounds (the interleaved schedule runs micro-batches / pipeline_parallel {} rounds of "
            "equal size). Use {}.",
            training.global_batch_size, micro_batches, rounds_of(micro_batches, parallel.pipeline),
            parallel.pipeline, batches);
    }
}

void check_schedule(const Model& model, const Parallel& parallel, Problems& problems) {
    if (parallel.virtual_pipeline > 1 && parallel.pipeline == 1) {
        problems.add(
            "parallel.virtual_pipeline is {} with pipeline_parallel 1 (chunks interleave over "
            "pipeline stages). Use virtual_pipeline 1 or pipeline_parallel 2 or more.",
            parallel.virtual_pipeline);
    }
    if (parallel.virtual_pipeline > 1 && parallel.schedule == PipelineSchedule::gpipe) {
        problems.add(
            "parallel.pipeline_schedule is gpipe with virtual_pipeline {} (gpipe has one chunk a "
            "stage). Use the 1f1b schedule or virtual_pipeline 1.",
            parallel.virtual_pipeline);
    }
    if (const auto split = split_layers(model, parallel); !split) {
        problems.add_text(split.error().message);
    }
    if (parallel.overlap_param_gather && parallel.zero_stage == 0) {
        problems.add(
            "parallel.overlap_param_gather is true with zero_stage 0 (only the distributed "
            "optimizer gathers parameters). Set it to false or use zero_stage 1.");
    }
}

std::vector<StageWork> deal_stages(const std::vector<std::int64_t>& layers) {
    std::vector<StageWork> stages;
    std::int64_t first = 0;
    for (const std::int64_t count : layers) {
        stages.push_back({first, count, false, false});
        first += count;
    }
    stages.front().embedding = true;
    stages.back().loss = true;
    return stages;
}

Layout derive(const Model& model, const Parallel& parallel, const Training& training,
              const std::vector<std::int64_t>& layers) {
    Layout layout;
    layout.world_size = parallel.world_size;
    layout.tensor = parallel.tensor;
    layout.context = parallel.context;
    layout.pipeline = parallel.pipeline;
    layout.data = parallel.world_size / ranks_per_replica(parallel);
    if (model.experts > 0) {
        layout.expert = parallel.expert;
        layout.expert_tensor = expert_tensor_of(parallel);
        layout.expert_data =
            parallel.world_size / (layout.expert_tensor * layout.expert * layout.pipeline);
        layout.experts_per_rank = model.experts / parallel.expert;
    }
    layout.virtual_pipeline = parallel.virtual_pipeline;
    layout.order = parallel.order;
    layout.micro_batches = training.global_batch_size / (training.micro_batch_size * layout.data);
    layout.padded_vocab = pad_vocabulary(model.vocab_size, parallel.vocab_padding, parallel.tensor);
    layout.kv_heads_per_rank = std::max<std::int64_t>(1, model.kv_heads / parallel.tensor);
    layout.stages = deal_stages(layers);
    return layout;
}

}  // namespace

Expected<Layout> make_layout(const Model& given, const Parallel& parallel,
                             const Training& training) {
    const Model model = with_defaults(given);
    Problems problems;
    check_sizes(model, parallel, training, problems);
    if (!problems.empty()) {
        return tl::unexpected{problems.error()};
    }
    check_world(parallel, training, problems);
    const bool whole_replicas = problems.empty();
    check_experts(model, parallel, problems);
    check_model(given, model, parallel, training, problems);
    check_tensor(model, parallel, training, problems);
    check_sequence(parallel, training, problems);
    check_schedule(model, parallel, problems);
    if (whole_replicas) {
        check_batches(parallel, training, problems);
    }
    if (!problems.empty()) {
        return tl::unexpected{problems.error()};
    }
    return derive(model, parallel, training, *split_layers(model, parallel));
}

}  // namespace prismllm::target
