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
/// @param communicates whether ranks may use a library of GPUs among them: each has its own
/// @throws SystemError (resources) where there is none that can be used, with the reason
[[nodiscard]] std::unique_ptr<Device> open_device(target::RankDevice kind, int number,
                                                  bool communicates);

}  // namespace prismllm::device
