// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What every part of the step works with, and the two ways it talks to the tensor group.
#pragma once

#include <array>
#include <string_view>

#include "prismllm/program/executor.hpp"
#include "prismllm/program/setup.hpp"

namespace prismllm::program {

struct Context {
    const Setup& setup;
    Executor& executor;
    target::Coordinates where;

    [[nodiscard]] const Sizes& sizes() const { return setup.sizes; }

    Buffer allocate(std::string_view name, graph::DType dtype, std::int64_t elements,
                    graph::TensorRole role = graph::TensorRole::activation) const {
        return executor.allocate(name, role, dtype, elements);
    }
    Buffer activation(std::string_view name, std::int64_t elements) const {
        return allocate(name, setup.activation, elements);
    }
    void compute(const graph::Kernel& kernel, std::initializer_list<Buffer> reads,
                 std::initializer_list<Buffer> writes) const {
        compute(kernel, std::span<const Buffer>{reads.begin(), reads.size()},
                std::span<const Buffer>{writes.begin(), writes.size()});
    }
    void compute(const graph::Kernel& kernel, std::span<const Buffer> reads,
                 std::span<const Buffer> writes) const {
        executor.launch(Stream::compute, kernel, reads, writes);
    }
    void release(std::initializer_list<Buffer> buffers) const {
        for (const Buffer buffer : buffers) {
            executor.release(buffer);
        }
    }
};

/// Start `call` on `stream` once everything computed so far is there.
/// @return the event of its end; the compute stream goes on beside it.
Event start_collective(const Context& context, Stream stream, const graph::Communication& call,
                       Buffer in, Buffer out);

/// start_collective, and the compute stream waits for the end.
void blocking_collective(const Context& context, Stream stream, const graph::Communication& call,
                         Buffer in, Buffer out);

/// Full activation from the tensor ranks' shards of the sequence, and back. Without sequence
/// parallelism activations are whole already: gather passes `shard` on, and the sum of partial
/// results is an all-reduce in place. The caller releases a result only where it is its own.
[[nodiscard]] bool shards_sequence(const Context& context);
[[nodiscard]] bool has_tensor_group(const Context& context);
[[nodiscard]] graph::Communication gather_sequence(const Context& context, std::int64_t columns);
[[nodiscard]] graph::Communication scatter_sequence(const Context& context, std::int64_t columns);
[[nodiscard]] graph::Communication sum_partial(const Context& context, graph::DType dtype,
                                               std::int64_t elements,
                                               graph::ReduceOp reduce = graph::ReduceOp::sum);

/// All-reduce of `partial` [tokens, hidden] in place; nothing where tensor parallelism is off.
void sum_over_tensor_ranks(const Context& context, Buffer partial);
/// Sum `partial` [tokens, hidden] over the tensor group: reduce-scatter to the sequence shard,
/// all-reduce in place, or nothing. Consumes `partial`, returns the buffer of the result.
[[nodiscard]] Buffer reduce_partial(const Context& context, Buffer partial, std::string_view name);

}  // namespace prismllm::program
