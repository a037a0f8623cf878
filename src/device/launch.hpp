// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// From a kernel description and its operands to the operation that does it.
#pragma once

#include <span>

#include "prismllm/device/rank_executor.hpp"

#include "memory.hpp"

namespace prismllm::device {

using program::Buffer;

/// What kernels of one rank need to know beside their operands.
struct KernelContext {
    const program::Setup& setup;
    target::Coordinates where;
    const Training& training;
    Memory& memory;
    Device& device;
    Operations& on;
    std::int64_t step = 1;         ///< of the training, from 1
    std::int64_t updates = 0;      ///< by the optimizer
    std::int64_t skipped = 0;      ///< fp16: updates that an overflow of the gradients prevented
    bool finite_norm = true;       ///< of the gradient of this step
    bool bad_gradient = false;     ///< this step had no update, and no overflow of fp16 explains it
    double* loss = nullptr;        ///< in the device's memory: sum of the mean losses
    std::int64_t loss_count = 0;   ///< micro-batches in the sum
    DropoutRule hidden_dropout{};  ///< of the next dropout of hidden states

    [[nodiscard]] View view(Buffer b) const { return memory.view(b); }
};

using Operands = std::span<const Buffer>;

/// Whether a kernel may drop hidden states, by KernelContext::hidden_dropout.
[[nodiscard]] bool drops_hidden_states(const graph::Kernel& kernel);

/// Runs a kernel. @throws SystemError (internal) for one that has no operation.
void run_kernel(KernelContext& context, const graph::Kernel& kernel, Operands reads,
                Operands writes);

// Parts of it.
void run_gemm(KernelContext& context, const graph::Kernel& kernel, Operands reads, Operands writes);
void run_attention(KernelContext& context, const graph::Kernel& kernel, Operands reads,
                   Operands writes);
void run_norm(KernelContext& context, const graph::Kernel& kernel, Operands reads, Operands writes);
void run_loss(KernelContext& context, const graph::Kernel& kernel, Operands reads, Operands writes);
void run_elementwise(KernelContext& context, const graph::Kernel& kernel, Operands reads,
                     Operands writes);
void run_optimizer(KernelContext& context, const graph::Kernel& kernel, Operands reads,
                   Operands writes);

}  // namespace prismllm::device
