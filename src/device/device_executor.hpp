// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The training step of one rank on a device.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "prismllm/device/rank_executor.hpp"

#include "launch.hpp"
#include "memory.hpp"

namespace prismllm::device {

using Timing = DeviceUse::Timing;

/// Queues every op in program order. On the host that is the order in which they are done, which
/// is one of those that streams and events allow.
class DeviceExecutor final : public RankExecutor {
public:
    /// See make_rank_executor.
    DeviceExecutor(std::unique_ptr<Device> device, Timing timing, const program::Setup& setup,
                   std::int64_t rank, const Training& training, std::span<const std::byte> text,
                   Transport* transport);
    ~DeviceExecutor() override;

    [[nodiscard]] double end_step() override;
    [[nodiscard]] std::int64_t skipped_updates() const override { return context_.skipped; }
    [[nodiscard]] bool gradient_was_lost() const override { return context_.bad_gradient; }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return memory_.bytes(); }
    [[nodiscard]] std::int64_t peak_bytes() const override { return memory_.peak_bytes(); }
    [[nodiscard]] std::optional<std::int64_t> kernel_ps() const override { return kernel_ps_; }

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
    void begin_batch() override;
    void end_batch() override;
    program::Event record(program::Stream stream) override;
    void wait(program::Stream stream, program::Event event) override;
    void enter(graph::Phase phase) override;
    void locate(std::int64_t micro_batch, std::int64_t layer) override;

private:
    /// The host's copy of a payload that it cannot read or write in place.
    struct Staged {
        std::vector<float> values;
        View to;  ///< where to upload what came; empty for what is sent
    };
    /// What an event waits for.
    struct Transfer {
        std::uint64_t ticket = 0;
        std::unique_ptr<Staged> staged;
    };

    [[nodiscard]] std::uint64_t seed() const { return static_cast<std::uint64_t>(training_.seed); }
    [[nodiscard]] std::uint64_t sample_number(std::int64_t sample) const;
    void renew_dropout();
    void connect();
    [[nodiscard]] std::span<float> host_values(View view, Staged& staged) const;
    void collective(const graph::Communication& call, View in, View out, graph::DType dtype);
    [[nodiscard]] Transfer start(const graph::Communication& call, View in, View out);

    const Training training_;
    std::span<const std::byte> text_;
    Transport* transport_;
    std::unique_ptr<Device> device_;
    Timing timing_;
    Memory memory_;
    KernelContext context_;
    std::vector<bool> connected_;  ///< [family] groups that the device communicates in
    std::int64_t micro_batch_ = 0, layer_ = -1;
    std::uint64_t dropouts_ = 0;  ///< since the layer was entered
    /// Transfers started on each stream and not covered by an event yet.
    std::array<std::vector<Transfer>, program::stream_count> started_;
    std::map<std::uint32_t, std::vector<Transfer>> of_event_;
    std::uint32_t next_event_ = 0;
    std::optional<std::int64_t> kernel_ps_;
};

}  // namespace prismllm::device
