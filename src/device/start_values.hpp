// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Start values of parameters: they depend on a seed and a place alone, never on who asks.
#pragma once

#include "prismllm/program/executor.hpp"

#include "parallel.hpp"

namespace prismllm::device {

struct StartRule {
    std::uint64_t seed = 1;
    double deviation = 0.02;
    std::int64_t layers = 1;  ///< of the whole model
};

/// Start values of a part of a parameter tensor, row by row.
void fill_part(const StartRule& rule, const program::ParameterPart& part, Out out);

}  // namespace prismllm::device
