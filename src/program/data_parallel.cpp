// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "data_parallel.hpp"

#include "prismllm/program/kernels.hpp"

#include "shards.hpp"

namespace prismllm::program {

using graph::CollectiveKind;

DataParallel::DataParallel(const Context& context, const Chunk& chunk)
    : context_{context},
      parameters_{chunk.parameters()},
      active_{data_group_size(context.setup) > 1},
      progress_(chunk.parameters().buckets.size()) {}

graph::Communication DataParallel::reduction(const Bucket& bucket) const {
    const bool sharded = is_sharded(context_.setup);
    graph::Communication call;
    call.kind = sharded ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    call.dtype = context_.setup.gradient;
    call.reduce = graph::ReduceOp::sum;
    call.family = context_.setup.families.data_context;
    call.elements = owned_part(context_, bucket.gradients).elements;
    return call;
}

graph::Communication DataParallel::gathering(const Bucket& bucket) const {
    graph::Communication call;
    call.kind = CollectiveKind::all_gather;
    call.dtype = context_.setup.activation;
    call.family = context_.setup.families.data_context;
    call.elements = owned_part(context_, bucket.weights).elements;
    return call;
}

void DataParallel::start_gathers() {
    if (!active_) {
        return;
    }
    for (std::size_t b = progress_.size(); b-- > 0;) {  // forward order
        const Bucket& bucket = parameters_.buckets[b];
        progress_[b].gathered =
            start_collective(context_, Stream::data_comm, gathering(bucket),
                             owned_part(context_, bucket.weights), bucket.weights);
        progress_[b].gather_pending = true;
    }
}

void DataParallel::await_weights(Module module) {
    for (const std::size_t bucket : parameters_.module_buckets[module]) {
        Progress& progress = progress_[bucket];
        if (progress.gather_pending) {
            context_.executor.wait(Stream::compute, progress.gathered);
            progress.gather_pending = false;
        }
    }
}

void DataParallel::start_reduction(std::size_t bucket) {
    const Buffer gradients = parameters_.buckets[bucket].gradients;
    // The mean over replicas: scaled first, then summed.
    context_.compute(
        elementwise(Operation::mean_share, context_.setup.gradient, gradients.elements, 1, 1),
        {gradients}, {gradients});
    progress_[bucket].reduced =
        start_collective(context_, Stream::data_comm, reduction(parameters_.buckets[bucket]),
                         gradients, owned_part(context_, gradients));
    progress_[bucket].reduction_started = true;
}

void DataParallel::gradients_ready(Module module) {
    for (const std::size_t bucket : parameters_.module_buckets[module]) {
        if (++progress_[bucket].modules_ready == parameters_.buckets[bucket].modules && active_) {
            start_reduction(bucket);
        }
    }
}

void DataParallel::finish_reduction() {
    for (std::size_t b = 0; b < progress_.size(); ++b) {
        Progress& progress = progress_[b];
        if (active_) {
            if (!progress.reduction_started) {
                start_reduction(b);
            }
            context_.executor.wait(Stream::compute, progress.reduced);
        }
        progress.reduction_started = false;
        progress.modules_ready = 0;
    }
}

void DataParallel::gather_now() {
    start_gathers();
    for (Module m = 0; m < parameters_.module_buckets.size(); ++m) {
        await_weights(m);
    }
}

}  // namespace prismllm::program
