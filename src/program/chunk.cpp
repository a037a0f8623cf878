// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "chunk.hpp"

#include <utility>

#include "kernels.hpp"

namespace prismllm::program {

Chunk::Chunk(const Context& context, std::int64_t number)
    : context_{context},
      work_{context.setup.layout.work(context.where.pipeline, number)},
      parameters_{allocate_parameters(context, number)},
      saved_(static_cast<std::size_t>(context.setup.layout.micro_batches)) {}

Buffer Chunk::run_unit(const Unit& unit, SavedChunk& saved, Buffer input) {
    switch (unit.kind) {
        case UnitKind::embedding:
            return embed(unit, saved);
        case UnitKind::layer: {
            const bool keep = context_.setup.training.recompute != target::Recompute::full;
            LayerOutput out =
                layer_forward(context_, parameters_.layer_weights(context_, unit), input, keep);
            saved.layers.push_back(out.saved);
            return out.output;
        }
        case UnitKind::head:
            head_forward(unit, saved.head, input);
            return {};
    }
    return {};
}

Buffer Chunk::forward(std::int64_t micro_batch, Buffer input, const UnitHook& before_unit) {
    SavedChunk& saved = saved_[static_cast<std::size_t>(micro_batch)];
    saved.layers.clear();
    context_.executor.enter(graph::Phase::forward);
    Buffer flow = input;
    for (std::size_t u = 0; u < parameters_.units.size(); ++u) {
        before_unit(u);
        context_.executor.locate(micro_batch, parameters_.units[u].layer);
        flow = run_unit(parameters_.units[u], saved, flow);
    }
    context_.executor.locate(micro_batch, -1);
    return flow;
}

Buffer Chunk::backward(std::int64_t micro_batch, Buffer grad, const UnitHook& after_unit) {
    SavedChunk& saved = saved_[static_cast<std::size_t>(micro_batch)];
    context_.executor.enter(graph::Phase::backward);
    Buffer flow = grad;
    for (std::size_t u = parameters_.units.size(); u-- > 0;) {
        const Unit& unit = parameters_.units[u];
        context_.executor.locate(micro_batch, unit.layer);
        switch (unit.kind) {
            case UnitKind::head:
                flow = head_backward(unit, saved.head);
                break;
            case UnitKind::layer:
                flow = layer_backward(context_, parameters_.layer_weights(context_, unit),
                                      std::move(saved.layers.back()), flow);
                saved.layers.pop_back();
                break;
            case UnitKind::embedding:
                embed_backward(unit, saved, flow);
                flow = {};
                break;
        }
        after_unit(u);
    }
    context_.executor.locate(micro_batch, -1);
    return flow;
}

Buffer Chunk::embed(const Unit& unit, SavedChunk& saved) {
    const Setup& setup = context_.setup;
    const Sizes& s = setup.sizes;
    saved.tokens = context_.allocate("token ids", graph::DType::int64, s.tokens);
    const Buffer looked_up = context_.activation("embedding", s.tokens * s.hidden);
    context_.compute(
        embedding(KernelKind::embedding_forward, setup.activation, s.tokens, s.hidden, s.vocab),
        {saved.tokens, parameters_.weights_of(unit)}, {looked_up});
    const Buffer out = reduce_partial(context_, looked_up, "embedding shard");
    const std::int64_t elements = s.sharded_tokens * s.hidden;
    if (setup.model.positions == target::PositionKind::learned) {
        context_.compute(elementwise(setup.activation, elements, 2, 1), {out}, {out});
    }
    if (setup.model.embedding_norm) {
        context_.compute(
            norm(KernelKind::norm_forward, setup.activation, s.sharded_tokens, s.hidden), {out},
            {out});
    }
    return out;
}

void Chunk::embed_backward(const Unit& unit, const SavedChunk& saved, Buffer grad) {
    const Setup& setup = context_.setup;
    const Sizes& s = setup.sizes;
    if (setup.model.embedding_norm) {
        context_.compute(
            norm(KernelKind::norm_backward, setup.activation, s.sharded_tokens, s.hidden), {grad},
            {grad, parameters_.gradients_of(unit)});
    }
    Buffer whole = grad;
    if (shards_sequence(context_)) {
        whole = context_.activation("gathered sequence", s.tokens * s.hidden);
        blocking_collective(context_, Stream::tensor_comm, gather_sequence(context_, s.hidden),
                            grad, whole);
        context_.release({grad});
    }
    context_.compute(
        embedding(KernelKind::embedding_backward, setup.activation, s.tokens, s.hidden, s.vocab),
        {saved.tokens, whole}, {parameters_.gradients_of(unit)});
    context_.release({whole, saved.tokens});
}

Linear Chunk::head_linear(const Unit& unit) const {
    const Setup& setup = context_.setup;
    const bool shared = setup.model.tied_embeddings && setup.layout.pipeline == 1;
    // A shared head reads the embedding table, which stands first in its unit.
    const Unit& owner = shared ? parameters_.units.front() : unit;
    const std::int64_t skip = shared ? 0 : unit.elements - setup.sizes.vocab * setup.sizes.hidden;
    Linear head;
    head.weight = parameters_.weights_of(owner).at(skip);
    head.gradient = parameters_.gradients_of(owner).at(skip);
    head.operands = setup.activation;  // the head stays out of fp8
    head.columns = setup.sizes.vocab;
    head.inner = setup.sizes.hidden;
    head.output = "logits";
    return head;
}

void Chunk::head_forward(const Unit& unit, SavedHead& saved, Buffer input) {
    const Setup& setup = context_.setup;
    const Sizes& s = setup.sizes;
    saved.input = input;
    saved.normed = context_.activation("final norm output", s.sharded_tokens * s.hidden);
    context_.compute(norm(KernelKind::norm_forward, setup.activation, s.sharded_tokens, s.hidden),
                     {input, parameters_.weights_of(unit)}, {saved.normed});
    const Buffer logits = column_forward(context_, head_linear(unit), saved.normed);
    saved.probabilities =
        context_.allocate("fp32 probabilities", graph::DType::fp32, s.tokens * s.vocab);
    const Buffer losses = context_.allocate("token losses", graph::DType::fp32, s.tokens);
    context_.compute(
        cross_entropy(KernelKind::cross_entropy_forward, setup.activation, s.tokens, s.vocab),
        {logits}, {saved.probabilities, losses});
    context_.release({logits});
    if (has_tensor_group(context_)) {
        // maximum, logit of the target and sum of exponentials over the vocabulary shards
        for (const graph::ReduceOp op :
             {graph::ReduceOp::max, graph::ReduceOp::sum, graph::ReduceOp::sum}) {
            blocking_collective(context_, Stream::tensor_comm,
                                sum_partial(context_, graph::DType::fp32, s.tokens, op), losses,
                                losses);
        }
    }
    context_.release({losses});
}

Buffer Chunk::head_backward(const Unit& unit, const SavedHead& saved) {
    const Setup& setup = context_.setup;
    const Sizes& s = setup.sizes;
    const Buffer grad_logits = context_.activation("logit gradient", s.tokens * s.vocab);
    context_.compute(
        cross_entropy(KernelKind::cross_entropy_backward, setup.activation, s.tokens, s.vocab),
        {saved.probabilities}, {grad_logits});
    context_.release({saved.probabilities});
    const Buffer grad_normed =
        column_backward(context_, head_linear(unit), saved.normed, grad_logits);
    const Buffer grad = context_.activation("residual gradient", s.sharded_tokens * s.hidden);
    context_.compute(norm(KernelKind::norm_backward, setup.activation, s.sharded_tokens, s.hidden),
                     {grad_normed, saved.input}, {grad, parameters_.gradients_of(unit)});
    context_.release({grad_normed, saved.normed, saved.input});
    return grad;
}

}  // namespace prismllm::program
