// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Devices by their kind. GPUs are behind a plug-in library, so that a program without a driver
/// starts.
#pragma once

#include <memory>

#include "prismllm/target/job.hpp"

#include "device.hpp"

namespace prismllm::device {

/// @param number of the GPU on this machine
/// @throws SystemError (resources) where there is none that can be used, with the reason
[[nodiscard]] std::unique_ptr<Device> open_device(target::RankDevice kind, int number);

}  // namespace prismllm::device
