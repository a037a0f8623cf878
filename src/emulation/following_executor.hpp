// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Holds a real rank to the graph: its virtual peers act as the graph says, so it must too.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/program/executor.hpp"

#include "pace.hpp"

namespace prismllm::emulation {

/// Decorator: compares every op with the op list of the rank's class before it passes it on, and
/// notes what kernels take and what memory holds.
class FollowingExecutor final : public program::Executor {
public:
    /// What `inner` tells of itself.
    struct Gauges {
        std::function<std::int64_t()> allocated;  ///< bytes of live tensors
        /// Picoseconds of the last kernel by its device's clock; may be empty or give nothing.
        std::function<std::optional<std::int64_t>()> kernel_ps;
    };
    /// All references outlive the executor.
    FollowingExecutor(program::Executor& inner, const graph::ExecutionGraph& graph,
                      std::int64_t rank, Gauges gauges);

    /// What hears of every op from now on; null: nothing takes the time.
    void set_pace(Pace* pace) { pace_ = pace; }

    /// Called before each step. What was done before the first one (weights, optimizer state)
    /// stands at the head of the list.
    void begin_step();
    /// @throws SystemError (job_failed) where the step ended before the list.
    void end_step();

    /// List of the rank's class.
    [[nodiscard]] const std::vector<graph::Op>& ops() const { return ops_; }
    /// Steps begun.
    [[nodiscard]] std::int64_t steps() const { return step_; }
    /// Place in the list of the op under way or next. Other threads may ask.
    [[nodiscard]] std::size_t position() const { return at_; }
    /// Rises while the rank waits for a clock, which is no standing still. Other threads may ask.
    [[nodiscard]] std::uint64_t heartbeats() const { return heartbeats_; }
    void beat() { ++heartbeats_; }
    /// Whether it waits for word of other processes of the emulation. Other threads may ask.
    [[nodiscard]] bool awaits_answer() const { return awaits_answer_; }
    void set_awaits_answer(bool waits) { awaits_answer_ = waits; }
    /// "kernel gemm on stream 'compute', forward, micro-batch 0, layer 1"
    [[nodiscard]] std::string describe(std::size_t op) const;

    /// What each kernel of the last step took by its device's clock or else as its pace says,
    /// picoseconds, [op]; 0 for other ops. Filled as the step goes on.
    [[nodiscard]] const std::vector<std::int64_t>& kernel_ps() const { return kernel_ps_; }
    /// Bytes of live tensors behind each op of the last step (of the head: as it was), [op].
    [[nodiscard]] const std::vector<std::int64_t>& allocated_bytes() const { return allocated_; }

    void initialize(program::Buffer weight, const program::ParameterPart& part) override {
        inner_.initialize(weight, part);
    }
    void initialize_master(program::Buffer master, program::Buffer weight) override {
        inner_.initialize_master(master, weight);
    }
    void load(program::Buffer buffer, program::Input input) override { inner_.load(buffer, input); }
    program::Buffer allocate(std::string_view name, graph::TensorRole role, graph::DType dtype,
                             std::int64_t elements) override;
    void release(program::Buffer buffer) override;
    void launch(program::Stream stream, const graph::Kernel& kernel,
                std::span<const program::Buffer> reads,
                std::span<const program::Buffer> writes) override;
    void communicate(program::Stream stream, const graph::Communication& call, program::Buffer in,
                     program::Buffer out) override;
    void begin_batch() override;
    void end_batch() override;
    program::Event record(program::Stream stream) override;
    void wait(program::Stream stream, program::Event event) override;
    void enter(graph::Phase phase) override { inner_.enter(phase); }
    void locate(std::int64_t micro_batch, std::int64_t layer) override {
        inner_.locate(micro_batch, layer);
    }

private:
    /// Numbers of buffers, events and batches go on from step to step; the list's begin anew.
    class Numbering {
    public:
        void begin() { known_ = false; }
        bool agrees(std::uint32_t actual, std::uint32_t listed);

    private:
        bool known_ = false;
        std::uint32_t difference_ = 0;
    };

    [[nodiscard]] const graph::Op* due(graph::OpKind kind, program::Stream stream) const;
    [[noreturn]] void differ(const std::string& came) const;
    [[nodiscard]] std::string communicator(graph::FamilyIndex family) const;
    [[nodiscard]] std::int64_t calls_before(std::size_t op, graph::FamilyIndex family) const;
    void done();
    template <class Body>
    void paced(const graph::Op& listed, const Body& body);

    program::Executor& inner_;
    const graph::ExecutionGraph& graph_;
    std::int64_t rank_;
    std::int32_t class_number_;
    const std::vector<graph::Op>& ops_;  ///< of its class
    Gauges gauges_;
    std::vector<std::int64_t> kernel_ps_, allocated_;
    std::atomic<std::size_t> at_ = 0;
    std::atomic<std::uint64_t> heartbeats_ = 0;
    std::atomic<bool> awaits_answer_ = false;
    std::size_t head_ = 0;  ///< ops before the first step
    std::int64_t step_ = 0;
    Pace* pace_ = nullptr;
    std::uint32_t batch_ = 0, open_batch_ = 0;
    Numbering buffers_, events_, batches_;
};

}  // namespace prismllm::emulation
