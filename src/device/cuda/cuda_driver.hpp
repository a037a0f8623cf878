// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The driver's calls by the CUDA runtime.
#pragma once

#include <memory>

#include "../driver.hpp"

namespace prismllm::device::cuda {

/// Of the GPU with this number, which becomes the thread's.
[[nodiscard]] std::unique_ptr<Driver> make_cuda_driver(int number);

}  // namespace prismllm::device::cuda
