// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/device/host_executor.hpp
/// Real arithmetic for the training step of one rank, on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "prismllm/device/rank_executor.hpp"

namespace prismllm::device {

/// Executes every op at once and in program order, which is one of the orders that streams and
/// events allow. Arithmetic is fp32; a tensor of a 16-bit dtype holds values rounded to it.
class HostExecutor final : public RankExecutor {
public:
    /// See make_rank_executor.
    HostExecutor(const program::Setup& setup, std::int64_t rank, const Training& training,
                 std::span<const std::byte> text, Transport* transport);
    ~HostExecutor() override;
    HostExecutor(const HostExecutor&) = delete;
    HostExecutor& operator=(const HostExecutor&) = delete;

    [[nodiscard]] double end_step() override;
    [[nodiscard]] std::int64_t skipped_updates() const override;
    [[nodiscard]] bool gradient_was_lost() const override;
    [[nodiscard]] std::int64_t allocated_bytes() const override;
    [[nodiscard]] std::int64_t peak_bytes() const override;

    void initialize(program::Buffer weight, const program::ParameterPart& part) override;
    void initialize_master(program::Buffer master, program::Buffer weight) override;
    void load(program::Buffer buffer, program::Input input) override;
    program::Buffer allocate(std::string_view name, graph::TensorRole role, graph::DType dtype,
                             std::int64_t elements) override;
    void release(program::Buffer buffer) override;
    void launch(program::Stream stream, const graph::Kernel& kernel,
                std::span<const program::Buffer> reads,
                std::span<const program::Buffer> writes) override;
    void communicate(program::Stream stream, const graph::Communication& call, program::Buffer in,
                     program::Buffer out) override;
    void begin_batch() override {}
    void end_batch() override {}
    program::Event record(program::Stream stream) override;
    void wait(program::Stream stream, program::Event event) override;
    void enter(graph::Phase phase) override;
    void locate(std::int64_t micro_batch, std::int64_t layer) override;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace prismllm::device
