// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "optimizer.hpp"

#include "data_parallel.hpp"
#include "kernels.hpp"

namespace prismllm::program {

using graph::CollectiveKind;
using graph::TensorRole;

Optimizer::Optimizer(const Context& context, const std::vector<Chunk>& chunks)
    : context_{context}, chunks_{chunks} {
    for (const Chunk& chunk : chunks) {
        std::int64_t owned = 0;
        for (const Bucket& bucket : chunk.parameters().buckets) {
            owned += owned_elements(context.setup, bucket.elements);
        }
        owned_.push_back(owned);
        master_.push_back(context.allocate("master weights", graph::DType::fp32, owned,
                                           TensorRole::optimizer_state));
        moment1_.push_back(context.allocate("Adam first moment", graph::DType::fp32, owned,
                                            TensorRole::optimizer_state));
        moment2_.push_back(context.allocate("Adam second moment", graph::DType::fp32, owned,
                                            TensorRole::optimizer_state));
    }
}

bool Optimizer::shares_embedding() const {
    const Setup& setup = context_.setup;
    const std::int64_t stage = context_.where.pipeline;
    return setup.model.tied_embeddings && setup.layout.pipeline > 1 &&
           (stage == 0 || stage == setup.layout.pipeline - 1);
}

void Optimizer::finish_replicated_gradients() {
    const Setup& setup = context_.setup;
    std::int64_t layers = 0;
    for (const Chunk& chunk : chunks_) {
        layers += chunk.work().layer_count;
    }
    if (setup.parallel.sequence && layers > 0) {
        const Buffer norms =
            context_.allocate("norm gradients", setup.gradient,
                              layers * setup.sizes.norm_parameters, TensorRole::communication);
        blocking_collective(
            context_, Stream::tensor_comm,
            sum_partial(context_, setup.gradient, layers * setup.sizes.norm_parameters), norms,
            norms);
        context_.release({norms});
    }
    if (shares_embedding()) {
        const Chunk& chunk = context_.where.pipeline == 0 ? chunks_.front() : chunks_.back();
        const ChunkParameters& p = chunk.parameters();
        const Unit& unit = context_.where.pipeline == 0 ? p.units.front() : p.units.back();
        graph::Communication call;
        call.kind = CollectiveKind::all_reduce;
        call.dtype = setup.gradient;
        call.reduce = graph::ReduceOp::sum;
        call.family = setup.families.embedding;
        call.elements = setup.sizes.vocab * setup.sizes.hidden;
        blocking_collective(context_, Stream::data_comm, call, p.gradients_of(unit),
                            p.gradients_of(unit));
    }
}

void Optimizer::step() {
    const Setup& setup = context_.setup;
    const Buffer norm =
        context_.allocate("gradient norm", graph::DType::fp32, 1, TensorRole::workspace);
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
        context_.compute(l2_norm(setup.gradient, owned_[c]),
                         {chunks_[c].parameters().buckets.front().gradients}, {norm});
    }
    graph::Communication call;
    call.kind = CollectiveKind::all_reduce;
    call.dtype = graph::DType::fp32;
    call.reduce = graph::ReduceOp::sum;
    call.family = setup.parallel.zero_stage > 0 ? setup.families.world : setup.families.model;
    call.elements = 1;
    if (setup.family_list[call.family].group_size(0) > 1) {
        blocking_collective(context_, Stream::data_comm, call, norm, norm);
    }
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
        const ChunkParameters& p = chunks_[c].parameters();
        const Buffer gradients = p.buckets.front().gradients;
        context_.compute(elementwise(setup.gradient, owned_[c], 1, 1), {norm, gradients},
                         {gradients});
        context_.compute(adam(setup.activation, setup.gradient, owned_[c]),
                         {gradients, master_[c], moment1_[c], moment2_[c]},
                         {master_[c], moment1_[c], moment2_[c], p.buckets.front().weights});
    }
    context_.release({norm});
}

}  // namespace prismllm::program
