// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The host as a device: everything is done at once, in fp32.
#pragma once

#include <memory>

#include "device.hpp"

namespace prismllm::device {

[[nodiscard]] std::unique_ptr<Device> make_host_device();

}  // namespace prismllm::device
