// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/host_memory.hpp
/// The memory of the machine this process runs on.
#pragma once

#include <cstdint>
#include <optional>

namespace prismllm {

/// Bytes that processes can still get without driving others out (Linux: MemAvailable); nothing
/// where the system does not tell. Limits of a container or a batch job are not seen.
[[nodiscard]] std::optional<std::int64_t> available_memory_bytes();

}  // namespace prismllm
