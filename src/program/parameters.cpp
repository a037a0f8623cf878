// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <algorithm>
#include <numeric>

#include "shards.hpp"

namespace prismllm::program {
namespace {

// Megatron-LM: parameters start at 128 B, buckets at 256 B, counted for 16-bit elements.
constexpr std::int64_t parameter_alignment = 64;
constexpr std::int64_t bucket_alignment = 128;

std::int64_t padded(std::int64_t elements, std::int64_t multiple) {
    return (elements + multiple - 1) / multiple * multiple;
}

/// Lays tensors down one after the other and closes buckets.
class Planner {
public:
    Planner(const BufferRules& rules, std::size_t tensors) : rules_{rules} {
        plan_.tensors.resize(tensors);
    }

    void place(std::size_t tensor, const TensorShape& shape) {
        std::int64_t start = rules_.sharded ? padded(end_, parameter_alignment) : end_;
        const bool alone = rules_.sharded && shape.shared_between_stages;
        if (alone && parameters_ > 0) {
            close();
            start = end_;
        }
        plan_.tensors[tensor] = {start, plan_.buckets.size()};
        end_ = start + shape.elements;
        parameters_ += shape.elements;
        const bool full = rules_.bucket_size > 0 && end_ - bucket_start_ >= rules_.bucket_size;
        if (full || alone) {
            close();
        }
    }

    BufferPlan finish() {
        if (parameters_ > 0) {
            close();
        }
        plan_.elements = end_;
        return std::move(plan_);
    }

private:
    void close() {
        if (rules_.sharded) {
            end_ = padded(end_, std::lcm(rules_.shards, bucket_alignment));
        }
        plan_.buckets.push_back({bucket_start_, end_ - bucket_start_, parameters_});
        bucket_start_ = end_;
        parameters_ = 0;
    }

    BufferRules rules_;
    BufferPlan plan_;
    std::int64_t bucket_start_ = 0, end_ = 0, parameters_ = 0;
};

BufferRules rules_of(const Setup& setup, std::int64_t stage, std::int64_t chunk) {
    const target::Parallel& p = setup.parallel;
    BufferRules rules;
    rules.sharded = is_sharded(setup);
    rules.shards = shard_count(setup);
    const bool overlaps = p.overlap_grad_reduce || p.overlap_param_gather;
    if (overlaps && chunk == 0 && stage == 0) {
        rules.bucket_size = p.bucket_parameters > 0
                                ? p.bucket_parameters
                                : std::max<std::int64_t>(40'000'000, 1'000'000 * setup.layout.data);
    }
    return rules;
}

void list_module_buckets(ChunkParameters& parameters, const std::vector<TensorShape>& shapes,
                         const BufferPlan& plan) {
    for (std::size_t t = 0; t < shapes.size(); ++t) {
        parameters.module_buckets.resize(shapes[t].module + 1);
        std::vector<std::size_t>& buckets = parameters.module_buckets.back();
        const std::size_t bucket = plan.tensors[t].bucket;
        if (std::find(buckets.begin(), buckets.end(), bucket) == buckets.end()) {
            buckets.push_back(bucket);
            ++parameters.buckets[bucket].modules;
        }
    }
}

}  // namespace

BufferPlan plan_buffer(const std::vector<TensorShape>& shapes, const BufferRules& rules) {
    Planner planner{rules, shapes.size()};
    for (std::size_t t = shapes.size(); t-- > 0;) {
        planner.place(t, shapes[t]);
    }
    return planner.finish();
}

ChunkParameters allocate_parameters(const Context& context, std::int64_t chunk) {
    const Setup& setup = context.setup;
    const target::StageWork& work = setup.layout.work(context.where.pipeline, chunk);
    std::vector<TensorShape> shapes;
    (void)make_weights(setup, work, context.where.tensor, [&](const TensorShape& shape) {
        shapes.push_back(shape);
        return Parameter{};
    });
    const BufferPlan plan = plan_buffer(shapes, rules_of(setup, context.where.pipeline, chunk));

    ChunkParameters parameters;
    parameters.weight_buffer =
        context.allocate("weights", setup.activation, plan.elements, graph::TensorRole::weight);
    parameters.gradient_buffer = context.allocate("main gradients", setup.gradient, plan.elements,
                                                  graph::TensorRole::gradient);
    for (const BufferPlan::Range& range : plan.buckets) {
        parameters.buckets.push_back(
            {parameters.weight_buffer.part(range.offset, range.elements),
             parameters.gradient_buffer.part(range.offset, range.elements)});
    }
    parameters.weights =
        make_weights(setup, work, context.where.tensor, [&](const TensorShape& shape) {
            const std::int64_t offset = plan.tensors[parameters.tensors.size()].offset;
            const Parameter tensor{parameters.weight_buffer.part(offset, shape.elements),
                                   parameters.gradient_buffer.part(offset, shape.elements)};
            context.executor.initialize(tensor.weight, shape.part);
            parameters.tensors.push_back(tensor);
            const bool second_table = shape.shared_between_stages && context.where.pipeline > 0;
            parameters.counted_elsewhere.push_back(
                second_table || (shape.on_all_tensor_ranks && context.where.tensor > 0));
            if (shape.replication != Replication::none) {
                parameters.replicated.push_back({tensor.gradient, shape.replication});
            }
            return tensor;
        });
    list_module_buckets(parameters, shapes, plan);
    return parameters;
}

}  // namespace prismllm::program
