// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A disk that fills up while all processes write together. Whoever notices cannot tell the
/// others, which may wait in a collective call: it ends the job, as a guarded main does. The
/// test expects the printed lines and that the job ends before its time limit.
#include <csignal>
#include <cstdio>
#include <string>

#include <mpi.h>
#include <sys/resource.h>

#include "../../support/store_samples.hpp"

namespace {

using namespace prismllm;

/// This process's ranks of a large job, with values that hardly compress.
store::ResultData share(int process, int processes) {
    auto data = store::samples::result_tables(100'000, 2);
    for (std::int64_t rank = process; rank < data.world_size; rank += processes) {
        store::samples::add_rank(data, rank);
        data.ranks.busy_ps.back() = rank * 2654435761 % 1'000'000'007;
    }
    store::samples::fill_ends(data);
    return data;
}

int write(const std::filesystem::path& path) {
    int process = 0, processes = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    // Enough for the tables that the first process writes alone (about 120 kB).
    const rlimit limit{250'000, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const store::ParallelAccess access{static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD))};

    try {
        const auto written = store::write_result(path, share(process, processes),
                                                 store::samples::provenance(), access);
        std::printf("not expected: %s\n", written ? "written" : written.error().message.c_str());
        return 1;
    } catch (const SystemError& error) {
        const bool left = store::samples::has_unfinished_file(path);
        std::printf("code %d: %s; unfinished file %s\n", static_cast<int>(error.code()),
                    error.what(), left ? "left" : "removed");
        std::fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, static_cast<int>(error.code()));
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN);
    MPI_Init(&argc, &argv);
    const int outcome = write(argv[1]);
    MPI_Finalize();
    return outcome;
}
