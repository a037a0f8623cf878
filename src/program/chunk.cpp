// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "chunk.hpp"

#include <utility>

namespace prismllm::program {

Chunk::Chunk(const Context& context, std::int64_t number)
    : context_{context},
      work_{context.setup.layout.work(context.where.pipeline, number)},
      parameters_{allocate_parameters(context, number)},
      saved_(static_cast<std::size_t>(context.setup.layout.micro_batches)) {}

Buffer Chunk::forward(std::int64_t micro_batch, Buffer input, const ModuleHook& before) {
    const ChunkWeights& weights = parameters_.weights;
    SavedChunk& saved = saved_[static_cast<std::size_t>(micro_batch)];
    saved = {};
    context_.executor.enter(graph::Phase::forward);
    context_.executor.locate(micro_batch, -1);
    Buffer flow = input;
    if (work_.embedding) {
        before(weights.embedding.module);
        flow = embedding_forward(context_, weights.embedding, saved.embedding);
    }
    const bool keep = context_.setup.training.recompute != target::Recompute::full;
    for (std::size_t l = 0; l < weights.layers.size(); ++l) {
        context_.executor.locate(micro_batch, work_.first_layer + static_cast<std::int64_t>(l));
        const LayerOutput out = layer_forward(context_, weights.layers[l], flow, keep, before);
        saved.layers.push_back(out.saved);
        flow = out.output;
    }
    context_.executor.locate(micro_batch, -1);
    if (work_.loss) {
        head_forward(context_, weights.head, saved.head, flow, before);
        flow = {};
    }
    return flow;
}

Buffer Chunk::backward(std::int64_t micro_batch, Buffer grad, const ModuleHook& done) {
    const ChunkWeights& weights = parameters_.weights;
    SavedChunk& saved = saved_[static_cast<std::size_t>(micro_batch)];
    context_.executor.enter(graph::Phase::backward);
    context_.executor.locate(micro_batch, -1);
    Buffer flow = grad;
    if (work_.loss) {
        const HeadGradient gradient = head_backward(context_, weights.head, saved.head, done);
        saved.embedding.shared_table = gradient.shared_table;
        flow = gradient.input;
    }
    for (std::size_t l = weights.layers.size(); l-- > 0;) {
        context_.executor.locate(micro_batch, work_.first_layer + static_cast<std::int64_t>(l));
        flow =
            layer_backward(context_, weights.layers[l], std::move(saved.layers.back()), flow, done);
        saved.layers.pop_back();
    }
    context_.executor.locate(micro_batch, -1);
    if (work_.embedding) {
        embedding_backward(context_, weights.embedding, saved.embedding, flow);
        done(weights.embedding.module);
        flow = {};
    }
    return flow;
}

}  // namespace prismllm::program
