// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "replicated_gradients.hpp"

#include "prismllm/program/kernels.hpp"

namespace prismllm::program {
namespace {

std::vector<Buffer> gradients_to_sum(const Context& c, const std::vector<Chunk>& chunks) {
    std::vector<Buffer> gradients;
    for (const Chunk& chunk : chunks) {
        for (const ReplicatedGradient& r : chunk.parameters().replicated) {
            if (r.kind == Replication::heads || shards_sequence(c)) {
                gradients.push_back(r.gradient);
            }
        }
    }
    return gradients;
}

}  // namespace

void reduce_over_tensor_ranks(const Context& c, const std::vector<Chunk>& chunks) {
    const std::vector<Buffer> gradients = gradients_to_sum(c, chunks);
    if (!has_tensor_group(c) || gradients.empty()) {
        return;
    }
    std::int64_t elements = 0;
    for (const Buffer& gradient : gradients) {
        elements += gradient.elements;
    }
    const DType dtype = c.setup.gradient;
    const Buffer flat =
        c.allocate("replicated gradients", dtype, elements, graph::TensorRole::communication);
    const std::vector<Buffer> whole{flat};
    c.compute(copy(dtype, dtype, elements), gradients, whole);  // one concatenation
    blocking_collective(c, Stream::tensor_comm, sum_partial(c, dtype, elements), flat, flat);
    std::int64_t offset = 0;
    for (const Buffer& gradient : gradients) {
        c.compute(copy(dtype, dtype, gradient.elements), {flat.part(offset, gradient.elements)},
                  {gradient});
        offset += gradient.elements;
    }
    c.release({flat});
}

void reduce_tied_table(const Context& c, const std::vector<Chunk>& chunks) {
    const Setup& setup = c.setup;
    const std::int64_t stage = c.where.pipeline;
    const bool first = stage == 0;
    const bool last = stage == setup.layout.pipeline - 1;
    if (!setup.model.tied_embeddings || first == last) {
        return;
    }
    const Parameter& table = first ? chunks.front().parameters().weights.embedding.words
                                   : chunks.back().parameters().weights.head.linear.weight;
    graph::Communication call;
    call.kind = graph::CollectiveKind::all_reduce;
    call.dtype = setup.gradient;
    call.reduce = graph::ReduceOp::sum;
    call.family = setup.families.embedding;
    call.elements = table.gradient.elements;
    blocking_collective(c, Stream::data_comm, call, table.gradient, table.gradient);
}

}  // namespace prismllm::program
