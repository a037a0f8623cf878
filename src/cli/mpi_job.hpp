// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/communicator.hpp"

namespace prismllm::cli {

/// Say what the exception being handled says, and which exit code it means. Call it in a handler.
[[nodiscard]] ErrorCode tell_exception();

/// Run `body` between the start and the end of MPI. An error it returns was agreed on by all
/// processes. Where they are several it is told here, before any of them ends, and comes back
/// without a message; a stop that they agreed on ends the job here. What one process meets alone,
/// an exception, ends the whole job here and now, with its exit code: the others may wait for it.
[[nodiscard]] Status in_mpi_job(const std::function<Status(const comm::Communicator& world)>& body);

}  // namespace prismllm::cli
