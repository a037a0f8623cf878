// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/host_name.hpp
/// The machine this process runs on.
#pragma once

#include <string>

namespace prismllm {

/// Network name of this machine, "unknown host" where the system does not tell.
[[nodiscard]] std::string host_name();

}  // namespace prismllm
