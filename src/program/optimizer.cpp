// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "optimizer.hpp"

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

/// fp16: back to the scale of the loss; one overflow on any rank skips the update.
void Optimizer::unscale_and_check(const Parts& gradients) const {
    const Buffer found =
        context_.allocate("found infinity", graph::DType::fp32, 1, TensorRole::workspace);
    context_.compute(fill(graph::DType::fp32, 1), {}, {found});
    std::vector<Buffer> operands = gradients;
    operands.push_back(found);
    context_.compute(elementwise(Operation::unscale, graph::DType::fp32, owned_, 1, 1), operands,
                     operands);
    reduce_over_model(found, graph::ReduceOp::max);
    context_.release({found});
}

void Optimizer::clip(const Parts& gradients) const {
    const Buffer norm =
        context_.allocate("gradient norm", graph::DType::fp32, 1, TensorRole::workspace);
    const Parts result{norm};
    context_.compute(l2_norm(graph::DType::fp32, owned_), gradients, result);
    reduce_over_model(norm, graph::ReduceOp::sum);
    std::vector<Buffer> operands = gradients;
    operands.push_back(norm);
    context_.compute(elementwise(Operation::clip, graph::DType::fp32, owned_, 1, 1), operands,
                     gradients);
    context_.release({norm});
}

void Optimizer::update(const Parts& gradients) const {
    context_.compute(adam(owned_), joined({&gradients, &masters_, &moment1_, &moment2_}),
                     joined({&masters_, &moment1_, &moment2_}));
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
    if (context_.setup.activation == graph::DType::fp16) {
        unscale_and_check(gradients);
    }
    clip(gradients);
    update(gradients);
    if (copies.exists()) {
        context_.release({copies});
    }
}

}  // namespace prismllm::program
