// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/native.hpp
/// A training job whose ranks are all real: each process executes one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/communicator.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::emulation {

struct NativeRun {
    std::vector<double> losses;            ///< [step] mean a token over the global batch, nats
    std::vector<double> step_wall_s;       ///< [step] of the slowest rank
    std::vector<std::int64_t> peak_bytes;  ///< [rank] of live tensors; on process 0 only
    std::int64_t skipped_updates = 0;      ///< fp16: those whose scaled gradients overflowed
    /// job_failed if a loss or a gradient was not finite; what was computed before is here.
    Status outcome;
};

/// Whether real ranks can train the job: all that they cannot, a line each.
/// @param text_bytes of the text to train on, or what is wrong with it.
/// @return bad_deck if the step does not do what the job asks for, or tokens do not fit: bytes need
///         a vocabulary of 256, a text one token more than a sequence; else resources if the
///         job's world size is not the number of processes.
[[nodiscard]] Status check_native(const target::Job& job, std::int64_t processes,
                                  const Expected<std::int64_t>& text_bytes);

/// Called after each step, on every process. True: stop here.
using StepObserver = std::function<bool(std::int64_t step, double loss, double wall_s)>;

/// Train as the job says.
/// @param text bytes to train on.
/// @return what check_native refuses; interrupted if an observer stopped it.
/// @collective
[[nodiscard]] Expected<NativeRun> run_native(const comm::Communicator& world,
                                             const target::Job& job,
                                             std::span<const std::byte> text,
                                             const StepObserver& after_step);

}  // namespace prismllm::emulation
