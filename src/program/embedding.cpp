// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "embedding.hpp"

#include "prismllm/program/kernels.hpp"

#include "accumulation.hpp"
#include "hidden_dropout.hpp"
#include "norm.hpp"

namespace prismllm::program {
namespace {

Kernel lookup(const Context& c, KernelKind kind, Buffer table) {
    const Sizes& s = c.sizes();
    return embedding(kind, c.setup.activation, s.tokens, s.hidden, table.elements / s.hidden);
}

Buffer looked_up(const Context& c, Buffer ids, Buffer table, std::string_view name) {
    const Buffer out = c.activation(name, c.sizes().tokens * c.sizes().hidden);
    c.compute(lookup(c, KernelKind::embedding_forward, table), {ids, table}, {out});
    return out;
}

/// This rank's part of a whole activation. Consumes `whole`; it is copied (Megatron-LM clones it)
/// so that the whole can be freed.
Buffer own_sequence(const Context& c, Buffer whole) {
    if (!shards_sequence(c)) {
        return whole;
    }
    const std::int64_t elements = c.sizes().sharded_tokens * c.sizes().hidden;
    const Buffer own = c.activation("embedding shard", elements);
    c.compute(copy(c.setup.activation, c.setup.activation, elements),
              {whole.part(c.where.tensor * elements, elements)}, {own});
    c.release({whole});
    return own;
}

/// words + positions, [sharded tokens, hidden]. Consumes `words` (partial sums).
Buffer with_positions(const Context& c, const EmbeddingWeights& w, Buffer words,
                      SavedEmbedding& saved) {
    const Sizes& s = c.sizes();
    const std::int64_t elements = s.tokens * s.hidden;
    sum_over_tensor_ranks(c, words);
    saved.positions = c.allocate("position ids", graph::DType::int64, s.tokens);
    c.executor.load(saved.positions, Input::positions);
    const Buffer positions =
        looked_up(c, saved.positions, w.positions.weight, "position embedding");
    const Buffer sum = c.activation("embedding with positions", elements);
    c.compute(elementwise(Operation::add, c.setup.activation, elements, 2, 1), {words, positions},
              {sum});
    c.release({words, positions});
    return own_sequence(c, sum);
}

/// Scatters the rows of `grad` into a dense gradient of `table` and adds that to the main
/// gradient; `onto`: an earlier gradient of the same table, consumed.
void table_backward(const Context& c, const Parameter& table, Buffer ids, Buffer grad,
                    Buffer onto) {
    const std::int64_t elements = table.weight.elements;
    const DType dtype = c.setup.activation;
    const Buffer dense = allocate_gradient(c, table, "dense table gradient");
    c.compute(fill(dtype, elements), {}, {dense});
    c.compute(lookup(c, KernelKind::embedding_backward, table.weight), {ids, grad, dense}, {dense});
    Buffer total = dense;
    if (onto.exists()) {
        c.compute(elementwise(Operation::add, dtype, elements, 2, 1), {onto, dense}, {onto});
        c.release({dense});
        total = onto;
    }
    add_to_main_gradient(c, table, total);
}

/// The whole gradient of a sequence shard. Consumes `grad`.
Buffer whole_sequence(const Context& c, Buffer grad) {
    if (!shards_sequence(c)) {
        return grad;
    }
    const std::int64_t hidden = c.sizes().hidden;
    const Buffer whole = c.activation("gathered sequence", c.sizes().tokens * hidden);
    blocking_collective(c, Stream::tensor_comm, gather_sequence(c, hidden), grad, whole);
    c.release({grad});
    return whole;
}

}  // namespace

Buffer embedding_forward(const Context& c, const EmbeddingWeights& w, SavedEmbedding& saved) {
    saved.tokens = c.allocate("token ids", graph::DType::int64, c.sizes().tokens);
    c.executor.load(saved.tokens, Input::tokens);
    const Buffer words = looked_up(c, saved.tokens, w.words.weight, "embedding");
    Buffer out = w.positions.exists() ? with_positions(c, w, words, saved)
                                      : reduce_partial(c, words, "embedding shard");
    if (w.norm.scale.exists()) {
        saved.norm_input = out;
        out = norm_forward(c, w.norm, out, "embedding norm output");
    }
    saved.mask = allocate_mask(c);
    if (saved.mask.exists()) {
        const Buffer dropped = c.activation("dropped embedding", out.elements);
        c.compute(
            dropout(Dropped::hidden_states, c.setup.activation, out.elements, DropoutMask::written),
            {out}, {dropped, saved.mask});
        c.release({out});
        out = dropped;
    }
    return out;
}

void embedding_backward(const Context& c, const EmbeddingWeights& w, const SavedEmbedding& saved,
                        Buffer grad) {
    Buffer flow = undropped(c, grad, saved.mask);
    if (saved.mask.exists()) {
        c.release({grad});
    }
    if (w.norm.scale.exists()) {
        const Buffer grad_sum =
            norm_backward(c, w.norm, flow, saved.norm_input, "embedding gradient");
        c.release({flow, saved.norm_input});
        flow = grad_sum;
    }
    const Buffer whole = whole_sequence(c, flow);
    if (w.positions.exists()) {
        table_backward(c, w.positions, saved.positions, whole, {});
        c.release({saved.positions});
    }
    table_backward(c, w.words, saved.tokens, whole, saved.shared_table);
    c.release({whole, saved.tokens});
}

}  // namespace prismllm::program
