// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device.hpp"

namespace prismllm::device {

/// Whether it is a GPU.
[[nodiscard]] bool tests_gpu();
[[nodiscard]] std::unique_ptr<Device> device_under_test();

}  // namespace prismllm::device
