// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/program/training_step.hpp"

#include <vector>

#include "prismllm/program/kernels.hpp"

#include "chunk.hpp"
#include "data_parallel.hpp"
#include "optimizer.hpp"
#include "pipeline.hpp"
#include "replicated_gradients.hpp"

namespace prismllm::program {
namespace {

std::vector<Chunk> make_chunks(const Context& context) {
    std::vector<Chunk> chunks;
    chunks.reserve(static_cast<std::size_t>(context.setup.layout.virtual_pipeline));
    for (std::int64_t c = 0; c < context.setup.layout.virtual_pipeline; ++c) {
        chunks.emplace_back(context, c);
    }
    return chunks;
}

}  // namespace

struct TrainingProgram::Impl {
    Impl(const Setup& setup, std::int64_t rank, Executor& executor)
        : context{setup, executor, setup.layout.coordinates(rank)},
          chunks{make_chunks(context)},
          optimizer{context, chunks} {
        data_parallel.reserve(chunks.size());
        for (const Chunk& chunk : chunks) {
            data_parallel.emplace_back(context, chunk);
        }
    }

    [[nodiscard]] bool gathers_overlap() const {
        return context.setup.parallel.zero_stage > 0 && context.setup.parallel.overlap_param_gather;
    }

    void begin();
    Buffer run(const Action& action, Buffer input);
    void run_schedule();
    void reduce_gradients();
    void update();

    Context context;
    std::vector<Chunk> chunks;
    Optimizer optimizer;
    std::vector<DataParallel> data_parallel;
};

/// Clear main gradients; under overlap, weights of the last update are still on their way.
void TrainingProgram::Impl::begin() {
    context.executor.enter(graph::Phase::other);
    context.executor.locate(-1, -1);
    for (const Chunk& chunk : chunks) {
        const Buffer gradients = chunk.parameters().gradient_buffer;
        context.compute(fill(context.setup.gradient, gradients.elements), {}, {gradients});
    }
    if (gathers_overlap()) {
        for (DataParallel& d : data_parallel) {
            d.start_gathers();
        }
    }
}

Buffer TrainingProgram::Impl::run(const Action& action, Buffer input) {
    const auto c = static_cast<std::size_t>(action.chunk);
    DataParallel& d = data_parallel[c];
    if (action.forward) {
        return chunks[c].forward(action.micro_batch, input,
                                 [&](Module module) { d.await_weights(module); });
    }
    const bool last = action.micro_batch + 1 == context.setup.layout.micro_batches;
    const bool overlap = last && context.setup.parallel.overlap_grad_reduce;
    return chunks[c].backward(action.micro_batch, input, [&](Module module) {
        if (overlap) {
            d.gradients_ready(module);
        }
    });
}

void TrainingProgram::Impl::run_schedule() {
    const target::Layout& l = context.setup.layout;
    Pipeline{context}.run(
        {l.pipeline, l.virtual_pipeline, l.micro_batches, context.setup.parallel.schedule},
        [this](const Action& action, Buffer input) { return run(action, input); });
}

void TrainingProgram::Impl::reduce_gradients() {
    context.executor.enter(graph::Phase::gradients);
    context.executor.locate(-1, -1);
    for (std::size_t c = chunks.size(); c-- > 0;) {  // the last chunk is ready first
        data_parallel[c].finish_reduction();
    }
    reduce_over_tensor_ranks(context, chunks);
    reduce_tied_table(context, chunks);
}

void TrainingProgram::Impl::update() {
    context.executor.enter(graph::Phase::optimizer);
    optimizer.step();
    if (context.setup.parallel.zero_stage > 0 && !gathers_overlap()) {
        for (DataParallel& d : data_parallel) {
            d.gather_now();
        }
    }
}

TrainingProgram::TrainingProgram(const Setup& setup, std::int64_t rank, Executor& executor)
    : impl_{std::make_unique<Impl>(setup, rank, executor)} {}

TrainingProgram::~TrainingProgram() = default;

void TrainingProgram::step() {
    impl_->begin();
    impl_->run_schedule();
    impl_->reduce_gradients();
    impl_->update();
}

}  // namespace prismllm::program
