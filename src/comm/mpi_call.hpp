// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file mpi_call.hpp
/// Calls of MPI whose failures cannot be overlooked.
#pragma once

#include <cstddef>
#include <string_view>

#include <mpi.h>

#include "prismllm/comm/backoff.hpp"

namespace prismllm::comm {

/// Throws SystemError with MPI's own text unless the call succeeded.
void mpi_call(int result, std::string_view call);

/// A number of elements as MPI takes it. Throws SystemError (resources) above INT_MAX.
[[nodiscard]] int mpi_count(std::size_t count, std::string_view call);

/// Wait for a request without keeping the core busy, as long as the watchdog allows.
void wait_for(MPI_Request& request, std::string_view call, int host_rank,
              std::chrono::milliseconds limit);

}  // namespace prismllm::comm
