// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/device/rank_executor.hpp
/// Real arithmetic for the training step of one rank, whatever device does it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "prismllm/base/error.hpp"
#include "prismllm/device/transport.hpp"
#include "prismllm/program/executor.hpp"
#include "prismllm/program/setup.hpp"

namespace prismllm::device {

/// What a training run is told beside the job.
using Training = target::Native;

/// What a rank computes on.
struct DeviceUse {
    enum class Timing : std::uint8_t { none, each_kernel };
    int number = 0;  ///< GPU of this machine
    /// Whether the executor waits for each kernel, to take its time by the device's clock; a device
    /// without a clock has nothing to wait for.
    Timing timing = Timing::each_kernel;
    bool alone = false;  ///< no two real ranks of the job share a GPU
};

/// @return how many devices of the kind this process can use, 1 or more; resources with the reason
/// where there is none.
[[nodiscard]] Expected<int> count_devices(target::RankDevice kind);

/// @return text that no other device has, on any machine; empty for the host. @pre count_devices
[[nodiscard]] std::string name_device(target::RankDevice kind, int number);

/// Start values depend on the seed and the place in the whole tensor only, samples on the seed
/// and their number in the global batch: all ways to cut a job compute the same step.
class RankExecutor : public program::Executor {
public:
    /// Mean loss a token over the micro-batches since the last call, natural logarithm; 0 on ranks
    /// without the head. The next step gets the next number.
    [[nodiscard]] virtual double end_step() = 0;
    /// Updates that were skipped so far because scaled gradients overflowed, which fp16 alone does.
    [[nodiscard]] virtual std::int64_t skipped_updates() const = 0;
    /// Whether the last step had no update since the norm of its gradient was not finite, and no
    /// loss scale explains it. The same on all ranks.
    [[nodiscard]] virtual bool gradient_was_lost() const = 0;
    /// Bytes of live tensors in the precision of their dtype, now and at most.
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;
    [[nodiscard]] virtual std::int64_t peak_bytes() const = 0;
    /// Picoseconds that the last kernel took by the device's own clock; nothing if it has none, and
    /// the kernel lasted as long as its launch.
    [[nodiscard]] virtual std::optional<std::int64_t> kernel_ps() const = 0;
};

/// On a device of the kind training.device.
/// @param text bytes to train on, longer than a sequence; token = byte.
/// @param transport may be null for a world of one rank. All references outlive the executor.
/// @throws SystemError (resources) where the device cannot be used
[[nodiscard]] std::unique_ptr<RankExecutor> make_rank_executor(
    const program::Setup& setup, std::int64_t rank, const Training& training,
    std::span<const std::byte> text, Transport* transport, const DeviceUse& use = {});

}  // namespace prismllm::device
