// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Numbers that depend on a seed and a place alone, never on who asks for them.
#pragma once

#include "prismllm/program/executor.hpp"

#include "parallel.hpp"

namespace prismllm::device {

/// 64 well-mixed bits of two numbers.
[[nodiscard]] std::uint64_t mixed(std::uint64_t key, std::uint64_t number);

struct StartRule {
    std::uint64_t seed = 1;
    double deviation = 0.02;
    std::int64_t layers = 1;  ///< of the whole model
};

/// Start values of a part of a parameter tensor, row by row.
void fill_part(const StartRule& rule, const program::ParameterPart& part, Out out);

}  // namespace prismllm::device
