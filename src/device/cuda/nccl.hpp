// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Collectives by NCCL.
#pragma once

#include <memory>

#include "../stream_collectives.hpp"

namespace prismllm::device::cuda {

[[nodiscard]] std::unique_ptr<StreamCollectives> make_nccl();

}  // namespace prismllm::device::cuda
