// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "data_parallel.hpp"

#include "kernels.hpp"

namespace prismllm::program {

using graph::CollectiveKind;

namespace {

std::int64_t group_size(const Setup& setup) {
    return setup.layout.data * setup.layout.context;
}

}  // namespace

std::int64_t owned_elements(const Setup& setup, std::int64_t total) {
    const std::int64_t n = setup.parallel.zero_stage > 0 ? group_size(setup) : 1;
    return (total + n - 1) / n;
}

DataParallel::DataParallel(const Context& context, const Chunk& chunk)
    : context_{context},
      chunk_{chunk},
      active_{group_size(context.setup) > 1},
      gathered_(chunk.parameters().buckets.size()),
      reduced_(chunk.parameters().buckets.size()),
      gather_pending_(chunk.parameters().buckets.size(), 0),
      reduction_started_(chunk.parameters().buckets.size(), 0) {}

graph::Communication DataParallel::reduction(const Bucket& bucket) const {
    const bool sharded = context_.setup.parallel.zero_stage > 0;
    graph::Communication call;
    call.kind = sharded ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    call.dtype = context_.setup.gradient;
    call.reduce = graph::ReduceOp::sum;
    call.family = context_.setup.families.data_context;
    call.elements = sharded ? owned_elements(context_.setup, bucket.elements) : bucket.elements;
    return call;
}

graph::Communication DataParallel::gathering(const Bucket& bucket) const {
    graph::Communication call;
    call.kind = CollectiveKind::all_gather;
    call.dtype = context_.setup.activation;
    call.family = context_.setup.families.data_context;
    call.elements = owned_elements(context_.setup, bucket.elements);
    return call;
}

Event DataParallel::start(const graph::Communication& call, Buffer in, Buffer out) {
    return start_collective(context_, Stream::data_comm, call, in, out);
}

void DataParallel::start_gathers() {
    if (!active_) {
        return;
    }
    const auto& buckets = chunk_.parameters().buckets;
    for (std::size_t b = buckets.size(); b-- > 0;) {  // forward order
        gathered_[b] = start(gathering(buckets[b]), buckets[b].weights, buckets[b].weights);
        gather_pending_[b] = 1;
    }
}

void DataParallel::await_weights(std::size_t unit) {
    const std::size_t bucket = chunk_.parameters().units[unit].bucket;
    if (gather_pending_[bucket] != 0) {
        context_.executor.wait(Stream::compute, gathered_[bucket]);
        gather_pending_[bucket] = 0;
    }
}

void DataParallel::start_reduction(std::size_t bucket) {
    const Bucket& b = chunk_.parameters().buckets[bucket];
    // The mean over replicas: scaled first, then summed.
    context_.compute(elementwise(context_.setup.gradient, b.elements, 1, 1), {b.gradients},
                     {b.gradients});
    reduced_[bucket] = start(reduction(b), b.gradients, b.gradients);
    reduction_started_[bucket] = 1;
}

void DataParallel::gradient_ready(std::size_t unit) {
    const std::size_t bucket = chunk_.parameters().units[unit].bucket;
    if (active_ && unit == chunk_.parameters().buckets[bucket].first_unit) {
        start_reduction(bucket);
    }
}

void DataParallel::finish_reduction() {
    if (!active_) {
        return;
    }
    for (std::size_t b = 0; b < reduced_.size(); ++b) {
        if (reduction_started_[b] == 0) {
            start_reduction(b);
        }
        context_.executor.wait(Stream::compute, reduced_[b]);
        reduction_started_[b] = 0;
    }
}

void DataParallel::gather_now() {
    start_gathers();
    for (std::size_t u = 0; u < chunk_.parameters().units.size(); ++u) {
        await_weights(u);
    }
}

}  // namespace prismllm::program
