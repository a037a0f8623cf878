// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/program/training_step.hpp
/// The training program of one rank, written once against the Executor interface
/// (docs/explanation/training_step.md says what it follows and what it leaves out).
#pragma once

#include <cstdint>
#include <memory>

#include "prismllm/program/executor.hpp"
#include "prismllm/program/setup.hpp"

namespace prismllm::program {

class TrainingProgram {
public:
    /// Allocates parameters, gradients and optimizer state of `rank` on `executor`.
    /// @pre 0 <= rank < world size; both references outlive the program.
    TrainingProgram(const Setup& setup, std::int64_t rank, Executor& executor);
    ~TrainingProgram();
    TrainingProgram(const TrainingProgram&) = delete;
    TrainingProgram& operator=(const TrainingProgram&) = delete;

    /// One steady-state iteration: all micro-batches, gradient reduction, optimizer.
    void step();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace prismllm::program
