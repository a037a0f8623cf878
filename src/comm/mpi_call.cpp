// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi_call.hpp"

#include <climits>
#include <string>

#include "prismllm/base/error.hpp"

namespace prismllm::comm {

void mpi_call(int result, std::string_view call) {
    if (result == MPI_SUCCESS) {
        return;
    }
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(result, text, &length);
    throw SystemError{
        ErrorCode::system,
        fmt::format("{} failed ({}). Check the MPI installation and the other processes.", call,
                    text)};
}

int mpi_count(std::size_t count, std::string_view call) {
    if (count > static_cast<std::size_t>(INT_MAX)) {
        throw SystemError{
            ErrorCode::resources,
            fmt::format("{} of {} elements (MPI takes at most {} at once). Use more processes.",
                        call, count, INT_MAX)};
    }
    return static_cast<int>(count);
}

void wait_for(MPI_Request& request, std::string_view call, int host_rank,
              std::chrono::milliseconds limit) {
    Backoff backoff;
    const Watchdog watchdog{limit};
    for (;;) {
        int done = 0;
        mpi_call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
        if (done != 0) {
            return;
        }
        backoff.pause();
        watchdog.check(host_rank, std::string{call});
    }
}

}  // namespace prismllm::comm
