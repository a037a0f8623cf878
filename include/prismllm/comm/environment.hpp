// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/comm/environment.hpp
/// Begin and end of MPI in this process.
#pragma once

#include <string>

#include "prismllm/base/error.hpp"

namespace prismllm::comm {

/// MPI from construction to destruction. One a process, in main, before any Communicator.
/// If MPI is up already (a host program started it), it is used and left up.
///
/// Left by an exception, it ends the whole job: MPI_Finalize would wait for processes that wait
/// for this one.
class Environment {
public:
    /// Throws SystemError when MPI does not start. Asks Open MPI to give the core away while it
    /// waits inside start-up and communicator creation, unless the user has said otherwise:
    /// launchers other than mpirun do not tell it when cores are shared, and every message then
    /// costs a scheduler slice. @collective
    Environment();
    /// @collective
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    bool owner_ = false;
    int exceptions_ = 0;
};

/// True between the start and the end of MPI in this process. @local
[[nodiscard]] bool is_running();

/// End all processes of the job now; the launcher returns the code. Ends this process alone
/// where MPI is not running. Not for signal handlers. @local
[[noreturn]] void abort_job(ErrorCode code) noexcept;

/// First line of the MPI library's description of itself, e.g. "Open MPI v4.1.4, ...". @local
[[nodiscard]] std::string library_version();

}  // namespace prismllm::comm
