// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/backoff.hpp"

#include <chrono>
#include <ctime>

#include <gtest/gtest.h>

#include "prismllm/base/error.hpp"

namespace prismllm::comm {
namespace {

TEST(Backoff, LeavesMostOfALongWaitToOthers) {
    using Clock = std::chrono::steady_clock;
    Backoff backoff;
    const std::clock_t cpu_begin = std::clock();
    const auto begin = Clock::now();

    while (Clock::now() - begin < std::chrono::milliseconds{200}) {
        backoff.pause();
    }

    // Sleeps of 200 us and a few microseconds of work between them: about 3 % of a core.
    const double cpu_s = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    EXPECT_LT(cpu_s, 0.05);
}

TEST(Watchdog, IsSilentWithinTheLimit) {
    const Watchdog watchdog{std::chrono::hours{1}};

    EXPECT_NO_THROW(watchdog.check(0, "MPI_Ibarrier"));
}

TEST(Watchdog, NamesTheWaiterAndTheCallPastTheLimit) {
    const Watchdog watchdog{std::chrono::milliseconds{0}};

    try {
        watchdog.check(3, "MPI_Ibarrier");
        FAIL() << "expected a SystemError";
    } catch (const SystemError& e) {
        EXPECT_EQ(e.code(), ErrorCode::system);
        EXPECT_STREQ(e.what(),
                     "host rank 3 waited 0.0 s in MPI_Ibarrier (another process has died, hangs "
                     "or is much slower). Look at its last message.");
    }
}

}  // namespace
}  // namespace prismllm::comm
