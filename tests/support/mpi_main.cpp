// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file tests/support/mpi_main.cpp
/// main() of the MPI tests. The outcome is one for the whole job: every process fails if any
/// failed or if no test ran. Host rank 0 prints the usual report; the others print failures only.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <mpi.h>

namespace {

/// Prints what failed, with the host rank before it, and nothing else.
class FailurePrinter final : public testing::EmptyTestEventListener {
public:
    explicit FailurePrinter(int host_rank) : host_rank_{host_rank} {}

private:
    void OnTestStart(const testing::TestInfo& test) override {
        name_ = std::string{test.test_suite_name()} + "." + test.name();
    }

    // Googletest holds a lock here: asking it for the current test would never return.
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.failed()) {
            return;
        }
        const char* file = result.file_name() == nullptr ? "(unknown file)" : result.file_name();
        std::fprintf(stderr, "host rank %d: %s:%d: %s failed\n%s\n", host_rank_, file,
                     result.line_number(), name_.c_str(), result.message());
        std::fflush(stderr);
    }

    std::string name_ = "(no test)";
    int host_rank_;
};

/// Googletest's own handler would turn an exception into a failure of this process alone and
/// leave the others waiting in a collective: the job must end instead.
void throw_through_googletest() {
    GTEST_FLAG_SET(catch_exceptions, false);
}

int run_all(int host_rank) {
    const int failed = RUN_ALL_TESTS();
    const int ran = testing::UnitTest::GetInstance()->test_to_run_count();
    if (ran == 0) {
        std::fprintf(stderr, "host rank %d: no test ran. Check --gtest_filter.\n", host_rank);
    }
    int outcome = failed != 0 || ran == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &outcome, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return outcome;
}

}  // namespace

int main(int argc, char** argv) {
    // FUNNELED is what the product asks for too.
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int host_rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &host_rank);

    try {
        testing::InitGoogleTest(&argc, argv);
        throw_through_googletest();
        if (host_rank != 0) {
            testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
            delete listeners.Release(listeners.default_result_printer());
            listeners.Append(std::make_unique<FailurePrinter>(host_rank).release());
        }
        const int outcome = run_all(host_rank);
        MPI_Finalize();
        return outcome;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "host rank %d: uncaught exception: %s\n", host_rank, e.what());
    } catch (...) {
        std::fprintf(stderr, "host rank %d: uncaught exception of unknown type\n", host_rank);
    }
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return EXIT_FAILURE;
}
