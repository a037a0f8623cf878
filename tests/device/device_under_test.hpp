// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device.hpp"

namespace prismllm::device {

[[nodiscard]] std::unique_ptr<Device> device_under_test();

}  // namespace prismllm::device
