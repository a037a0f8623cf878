// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Storage precision on a host that computes in fp32: values are rounded to what the dtype holds.
#pragma once

#include "prismllm/graph/kernel.hpp"

#include "parallel.hpp"

namespace prismllm::device {

/// To nearest, ties to even. Beyond the range of bf16 and fp16 lies infinity; fp8 (E4M3) has none
/// and keeps its largest number, 448, as saturating hardware casts do. fp32 and integers stay.
void round_to(graph::DType dtype, Out in_out);

}  // namespace prismllm::device
