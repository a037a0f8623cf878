// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

namespace prismllm::program {

using graph::CollectiveKind;
using graph::Communication;
using graph::ReduceOp;

Event start_collective(const Context& context, Stream stream, const Communication& call, Buffer in,
                       Buffer out) {
    Executor& e = context.executor;
    e.wait(stream, e.record(Stream::compute));
    e.communicate(stream, call, in, out);
    return e.record(stream);
}

void blocking_collective(const Context& context, Stream stream, const Communication& call,
                         Buffer in, Buffer out) {
    context.executor.wait(Stream::compute, start_collective(context, stream, call, in, out));
}

bool shards_sequence(const Context& context) {
    return context.setup.parallel.sequence;
}

bool has_tensor_group(const Context& context) {
    return context.setup.layout.tensor > 1;
}

Communication gather_sequence(const Context& context, std::int64_t columns) {
    Communication call;
    call.kind = CollectiveKind::all_gather;
    call.dtype = context.setup.activation;
    call.family = context.setup.families.tensor;
    call.elements = context.sizes().sharded_tokens * columns;
    return call;
}

Communication scatter_sequence(const Context& context, std::int64_t columns) {
    Communication call = gather_sequence(context, columns);
    call.kind = CollectiveKind::reduce_scatter;
    call.reduce = ReduceOp::sum;
    return call;
}

Communication sum_partial(const Context& context, graph::DType dtype, std::int64_t elements,
                          ReduceOp reduce) {
    Communication call;
    call.kind = CollectiveKind::all_reduce;
    call.dtype = dtype;
    call.reduce = reduce;
    call.family = context.setup.families.tensor;
    call.elements = elements;
    return call;
}

void sum_over_tensor_ranks(const Context& context, Buffer partial) {
    if (has_tensor_group(context)) {
        const std::int64_t elements = context.sizes().tokens * context.sizes().hidden;
        blocking_collective(context, Stream::tensor_comm,
                            sum_partial(context, context.setup.activation, elements), partial,
                            partial);
    }
}

Buffer reduce_partial(const Context& context, Buffer partial, std::string_view name) {
    if (!shards_sequence(context)) {
        sum_over_tensor_ranks(context, partial);
        return partial;
    }
    const std::int64_t hidden = context.sizes().hidden;
    const Buffer shard = context.activation(name, context.sizes().sharded_tokens * hidden);
    blocking_collective(context, Stream::tensor_comm, scatter_sequence(context, hidden), partial,
                        shard);
    context.release({partial});
    return shard;
}

}  // namespace prismllm::program
