// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Storage precision on a host that computes in fp32: values are rounded to what the dtype holds.
#pragma once

#include "prismllm/graph/kernel.hpp"

#include "parallel.hpp"

namespace prismllm::device {

/// To nearest, ties to even; beyond the range infinity, as hardware casts. fp32 and integers stay.
void round_to(graph::DType dtype, Out in_out);

}  // namespace prismllm::device
