// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/program/recording.hpp"

#include <utility>

#include "prismllm/program/training_step.hpp"

namespace prismllm::program {

using graph::OpKind;

RecordingExecutor::RecordingExecutor(Executor& inner, graph::Interner& interner)
    : inner_{inner}, interner_{interner} {}

std::vector<graph::Op> RecordingExecutor::take() {
    return std::exchange(ops_, {});
}

graph::Op& RecordingExecutor::append(OpKind kind, Stream stream, std::uint32_t index,
                                     std::uint32_t instance) {
    graph::Op op = label_;
    op.kind = kind;
    op.stream = static_cast<std::uint8_t>(stream);
    op.index = index;
    op.instance = instance;
    return ops_.emplace_back(op);
}

Buffer RecordingExecutor::allocate(std::string_view name, graph::TensorRole role,
                                   graph::DType dtype, std::int64_t elements) {
    Buffer buffer = inner_.allocate(name, role, dtype, elements);
    buffer.description = interner_.intern_tensor(name, role, elements * size_of(dtype));
    append(OpKind::allocate, Stream::compute, buffer.description, buffer.id);
    return buffer;
}

void RecordingExecutor::release(Buffer buffer) {
    inner_.release(buffer);
    append(OpKind::release, Stream::compute, buffer.description, buffer.id);
}

void RecordingExecutor::launch(Stream stream, const graph::Kernel& kernel,
                               std::span<const Buffer> reads, std::span<const Buffer> writes) {
    inner_.launch(stream, kernel, reads, writes);
    append(OpKind::kernel, stream, interner_.intern(kernel), 0);
}

void RecordingExecutor::communicate(Stream stream, const graph::Communication& call, Buffer in,
                                    Buffer out) {
    inner_.communicate(stream, call, in, out);
    append(OpKind::communicate, stream, interner_.intern(call), open_batch_);
}

void RecordingExecutor::begin_batch() {
    inner_.begin_batch();
    open_batch_ = ++batch_;
}

void RecordingExecutor::end_batch() {
    inner_.end_batch();
    open_batch_ = 0;
}

Event RecordingExecutor::record(Stream stream) {
    const Event event = inner_.record(stream);
    append(OpKind::record, stream, 0, event.id);
    return event;
}

void RecordingExecutor::wait(Stream stream, Event event) {
    inner_.wait(stream, event);
    append(OpKind::wait, stream, 0, event.id);
}

void RecordingExecutor::enter(graph::Phase phase) {
    inner_.enter(phase);
    label_.phase = phase;
}

void RecordingExecutor::locate(std::int64_t micro_batch, std::int64_t layer) {
    inner_.locate(micro_batch, layer);
    label_.micro_batch = static_cast<std::int16_t>(micro_batch);
    label_.layer = static_cast<std::int16_t>(layer);
}

std::string_view name_of(Stream stream) {
    switch (stream) {
        case Stream::compute:
            return "compute";
        case Stream::tensor_comm:
            return "tensor comm";
        case Stream::data_comm:
            return "data comm";
        case Stream::pipeline:
            return "pipeline";
        case Stream::pipeline_next:
            return "pipeline next";
        case Stream::pipeline_prev:
            return "pipeline prev";
    }
    return "unknown";
}

std::vector<std::string> stream_names() {
    std::vector<std::string> names;
    for (int s = 0; s < stream_count; ++s) {
        names.emplace_back(name_of(static_cast<Stream>(s)));
    }
    return names;
}

std::vector<Representative> representatives_of(const Setup& setup) {
    std::vector<Representative> all;
    const target::Layout& l = setup.layout;
    for (std::int64_t rank = 0; rank < l.world_size;) {
        const std::int64_t stage = l.coordinates(rank).pipeline;
        std::int64_t end = rank + 1;
        while (end < l.world_size && l.coordinates(end).pipeline == stage) {
            ++end;
        }
        target::Coordinates first;
        first.pipeline = stage;
        all.push_back({rank, end - rank, l.rank_of(first)});
        rank = end;
    }
    return all;
}

std::vector<graph::Op> record_slice(const Setup& setup, std::int64_t rank,
                                    graph::Interner& interner) {
    ModelExecutor model;
    RecordingExecutor recorder{model, interner};
    TrainingProgram program{setup, rank, recorder};
    program.step();
    return recorder.take();
}

}  // namespace prismllm::program
