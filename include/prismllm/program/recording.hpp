// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/program/recording.hpp
/// From a running program to a slice: the model executor that needs no device, and the recorder
/// that writes down what passes through it.
#pragma once

#include <cstdint>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/graph/interner.hpp"
#include "prismllm/program/executor.hpp"
#include "prismllm/program/setup.hpp"

namespace prismllm::program {

/// Hands out handles; keeps no storage and does no arithmetic, so that any rank of a job of any
/// size can be played on a laptop.
class ModelExecutor final : public Executor {
public:
    void initialize(Buffer, const ParameterPart&) override {}
    void initialize_master(Buffer, Buffer) override {}
    void load(Buffer, Input) override {}
    Buffer allocate(std::string_view, graph::TensorRole, graph::DType,
                    std::int64_t elements) override {
        return {next_buffer_++, 0, 0, elements};
    }
    void release(Buffer) override {}
    void launch(Stream, const graph::Kernel&, std::span<const Buffer>,
                std::span<const Buffer>) override {}
    void communicate(Stream, const graph::Communication&, Buffer, Buffer) override {}
    void begin_batch() override {}
    void end_batch() override {}
    Event record(Stream) override { return {next_event_++}; }
    void wait(Stream, Event) override {}
    void enter(graph::Phase) override {}
    void locate(std::int64_t, std::int64_t) override {}

private:
    std::uint32_t next_buffer_ = 0;
    std::uint32_t next_event_ = 0;
};

/// Decorator: passes every call on to `inner` and appends it to an op list.
class RecordingExecutor final : public Executor {
public:
    /// Slices recorded against one interner share its description numbers.
    RecordingExecutor(Executor& inner, graph::Interner& interner);

    /// The op list so far; the recorder starts a new one.
    [[nodiscard]] std::vector<graph::Op> take();

    void initialize(Buffer weight, const ParameterPart& part) override {
        inner_.initialize(weight, part);
    }
    void initialize_master(Buffer master, Buffer weight) override {
        inner_.initialize_master(master, weight);
    }
    void load(Buffer buffer, Input input) override { inner_.load(buffer, input); }
    Buffer allocate(std::string_view name, graph::TensorRole role, graph::DType dtype,
                    std::int64_t elements) override;
    void release(Buffer buffer) override;
    void launch(Stream stream, const graph::Kernel& kernel, std::span<const Buffer> reads,
                std::span<const Buffer> writes) override;
    void communicate(Stream stream, const graph::Communication& call, Buffer in,
                     Buffer out) override;
    void begin_batch() override;
    void end_batch() override;
    Event record(Stream stream) override;
    void wait(Stream stream, Event event) override;
    void enter(graph::Phase phase) override;
    void locate(std::int64_t micro_batch, std::int64_t layer) override;

private:
    graph::Op& append(graph::OpKind kind, Stream stream, std::uint32_t index,
                      std::uint32_t instance);

    Executor& inner_;
    graph::Interner& interner_;
    std::vector<graph::Op> ops_;
    graph::Op label_;
    std::uint32_t batch_ = 0;
    std::uint32_t open_batch_ = 0;  ///< 0: none
};

/// Names of all Streams in numeric order, for ExecutionGraph::streams.
[[nodiscard]] std::vector<std::string> stream_names();

/// Ranks first .. first+count-1 act like `representative`.
struct Representative {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t representative = 0;
};

/// Which ranks differ: one representative a pipeline stage, in rank order. Tensor, context and
/// data coordinates change no op of a dense step once peers are named by role (a test records
/// the others and compares).
[[nodiscard]] std::vector<Representative> representatives_of(const Setup& setup);

/// Play one iteration of `rank` and return its op list.
[[nodiscard]] std::vector<graph::Op> record_slice(const Setup& setup, std::int64_t rank,
                                                  graph::Interner& interner);

}  // namespace prismllm::program
