// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/environment.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "mpi_call.hpp"

namespace prismllm::comm {

Environment::Environment() : exceptions_{std::uncaught_exceptions()} {
    int up = 0;
    mpi_call(MPI_Initialized(&up), "MPI_Initialized");
    if (up == 0) {
        constexpr int keep_users_value = 0;
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", keep_users_value);
        int provided = MPI_THREAD_SINGLE;
        mpi_call(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided),
                 "MPI_Init_thread");
        owner_ = true;
    }
    // Communicators inherit it: failures come back as codes, and mpi_call turns them into
    // exceptions that name the call.
    mpi_call(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    mpi_call(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Environment::~Environment() {
    if (!owner_ || !is_running()) {
        return;
    }
    if (std::uncaught_exceptions() > exceptions_) {
        abort_job(ErrorCode::internal);
    }
    MPI_Finalize();
}

bool is_running() {
    int up = 0;
    int down = 0;
    MPI_Initialized(&up);
    MPI_Finalized(&down);
    return up != 0 && down == 0;
}

void abort_job(ErrorCode code) noexcept {
    std::fflush(nullptr);
    if (is_running()) {
        MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
    }
    std::_Exit(static_cast<int>(code));
}

std::string library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    mpi_call(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
    const std::string whole{text};
    return whole.substr(0, whole.find('\n'));
}

}  // namespace prismllm::comm
