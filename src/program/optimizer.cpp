// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "optimizer.hpp"

#include <algorithm>
#include <initializer_list>

#include "prismllm/program/kernels.hpp"

#include "shards.hpp"

namespace prismllm::program {

using graph::TensorRole;

namespace {

/// Operand lists of a kernel over many tensors, back to back.
std::vector<Buffer> joined(std::initializer_list<const std::vector<Buffer>*> lists) {
    std::vector<Buffer> all;
    for (const std::vector<Buffer>* list : lists) {
        all.insert(all.end(), list->begin(), list->end());
    }
    return all;
}

}  // namespace

Optimizer::Optimizer(const Context& context, const std::vector<Chunk>& chunks) : context_{context} {
    for (const Chunk& chunk : chunks) {
        const ChunkParameters& p = chunk.parameters();
        const std::size_t first_shard = weights_.size();
        if (is_sharded(context.setup)) {
            for (const Bucket& bucket : p.buckets) {
                add_shard(owned_part(context, bucket.weights),
                          owned_part(context, bucket.gradients));
            }
        } else {
            for (const Parameter& tensor : p.tensors) {
                add_shard(tensor.weight, tensor.gradient);
            }
        }
        count(p, first_shard);
    }
    Buffer whole;
    masters_ = has_masters()
                   ? allocate_like_shards("master weights", TensorRole::optimizer_state, whole)
                   : weights_;
    for (std::size_t i = 0; has_masters() && i < masters_.size(); ++i) {
        context.executor.initialize_master(masters_[i], weights_[i]);
    }
    moment1_ = allocate_like_shards("Adam first moment", TensorRole::optimizer_state, whole);
    moment2_ = allocate_like_shards("Adam second moment", TensorRole::optimizer_state, whole);
}

void Optimizer::add_shard(Buffer weights, Buffer gradients) {
    weights_.push_back(weights);
    gradients_.push_back(gradients);
    owned_ += weights.elements;
}

/// The norm is that of the whole model's gradient: a parameter that several ranks hold is counted
/// by the first of them.
void Optimizer::count(const ChunkParameters& parameters, std::size_t first_shard) {
    for (std::size_t shard = first_shard; shard < gradients_.size(); ++shard) {
        const std::int64_t begin = gradients_[shard].offset;
        const std::int64_t end = begin + gradients_[shard].elements;
        for (std::size_t t = 0; t < parameters.tensors.size(); ++t) {
            const Buffer gradient = parameters.tensors[t].gradient;
            const std::int64_t first = std::max(begin, gradient.offset);
            const std::int64_t past = std::min(end, gradient.offset + gradient.elements);
            if (first < past && !parameters.counted_elsewhere[t]) {
                counted_.push_back({shard, first - begin, past - first});
            }
        }
    }
}

Optimizer::Parts Optimizer::allocate_like_shards(std::string_view name, TensorRole role,
                                                 Buffer& whole) const {
    whole = context_.allocate(name, graph::DType::fp32, owned_, role);
    Parts parts;
    std::int64_t offset = 0;
    for (const Buffer& shard : weights_) {
        parts.push_back(whole.part(offset, shard.elements));
        offset += shard.elements;
    }
    return parts;
}

/// fp32 weights are updated themselves.
bool Optimizer::has_masters() const {
    return context_.setup.activation != graph::DType::fp32;
}

/// Over all ranks that hold different parts of the model, which with the distributed optimizer
/// are all ranks.
void Optimizer::reduce_over_model(Buffer value, graph::ReduceOp op) const {
    const Setup& setup = context_.setup;
    graph::Communication call;
    call.kind = graph::CollectiveKind::all_reduce;
    call.dtype = graph::DType::fp32;
    call.reduce = op;
    call.family = is_sharded(setup) ? setup.families.world : setup.families.model;
    call.elements = 1;
    if (setup.family_list[call.family].group_size(0) > 1) {
        blocking_collective(context_, Stream::data_comm, call, value, value);
    }
}

/// The gradients that the optimizer works on: 16-bit ones are copied, tensor by tensor.
Optimizer::Parts Optimizer::fp32_gradients(Buffer& whole) const {
    const DType gradient = context_.setup.gradient;
    if (gradient == graph::DType::fp32) {
        return gradients_;
    }
    Parts parts = allocate_like_shards("fp32 gradients", TensorRole::workspace, whole);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        context_.compute(copy(gradient, graph::DType::fp32, parts[i].elements), {gradients_[i]},
                         {parts[i]});
    }
    return parts;
}

/// fp16: back to the scale of the loss. @return what was found: one overflow on any rank skips the
/// update.
Buffer Optimizer::unscale_and_check(const Parts& gradients) const {
    const Buffer found =
        context_.allocate("found infinity", graph::DType::fp32, 1, TensorRole::workspace);
    context_.compute(fill(graph::DType::fp32, 1), {}, {found});
    std::vector<Buffer> operands = gradients;
    operands.push_back(found);
    context_.compute(elementwise(Operation::unscale, graph::DType::fp32, owned_, 1, 1), operands,
                     operands);
    reduce_over_model(found, graph::ReduceOp::max);
    return found;
}

void Optimizer::clip(const Parts& gradients) const {
    const Buffer norm =
        context_.allocate("gradient norm", graph::DType::fp32, 1, TensorRole::workspace);
    const Parts result{norm};
    Parts counted;
    for (const Counted& part : counted_) {
        counted.push_back(gradients[part.shard].part(part.first, part.elements));
    }
    // Priced as if every rank counted all it owns, so that ranks of a stage stay alike.
    context_.compute(l2_norm(graph::DType::fp32, owned_), counted, result);
    reduce_over_model(norm, graph::ReduceOp::sum);
    std::vector<Buffer> operands = gradients;
    operands.push_back(norm);
    context_.compute(elementwise(Operation::clip, graph::DType::fp32, owned_, 1, 1), operands,
                     gradients);
    context_.release({norm});
}

void Optimizer::update(const Parts& gradients, Buffer found) const {
    Parts operands = joined({&gradients, &masters_, &moment1_, &moment2_});
    if (found.exists()) {
        operands.push_back(found);
    }
    context_.compute(adam(owned_), operands, joined({&masters_, &moment1_, &moment2_}));
    if (has_masters()) {
        copy_masters();
    }
}

/// One kernel for all tensors, except in bf16: Apex has none for it and Megatron-LM copies tensor
/// by tensor.
void Optimizer::copy_masters() const {
    const DType weight = context_.setup.activation;
    if (weight != graph::DType::bf16) {
        context_.compute(copy(graph::DType::fp32, weight, owned_), masters_, weights_);
        return;
    }
    for (std::size_t i = 0; i < masters_.size(); ++i) {
        context_.compute(copy(graph::DType::fp32, weight, masters_[i].elements), {masters_[i]},
                         {weights_[i]});
    }
}

void Optimizer::step() {
    Buffer copies;
    const Parts gradients = fp32_gradients(copies);
    Buffer found;
    if (context_.setup.activation == graph::DType::fp16) {
        found = unscale_and_check(gradients);
    }
    clip(gradients);
    update(gradients, found);
    if (found.exists()) {
        context_.release({found});
    }
    if (copies.exists()) {
        context_.release({copies});
    }
}

}  // namespace prismllm::program
