// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/backoff.hpp"

#include <algorithm>
#include <thread>

#include "prismllm/base/error.hpp"

namespace prismllm::comm {
namespace {

// Between two cores a message takes under a microsecond, which is a few polls. Where cores are
// shared it takes as many context switches (15 us each) as there are processes on the core.
constexpr int spin_rounds = 64;
constexpr int yield_rounds = 96;
constexpr std::chrono::microseconds first_sleep{10};
constexpr std::chrono::microseconds longest_sleep{200};

}  // namespace

void Backoff::pause() {
    ++rounds_;
    if (rounds_ <= spin_rounds) {
        return;
    }
    if (rounds_ <= yield_rounds) {
        std::this_thread::yield();
        return;
    }
    // Twice as long every eight rounds.
    const int doublings = std::min((rounds_ - yield_rounds) / 8, 5);
    std::this_thread::sleep_for(std::min(first_sleep * (1 << doublings), longest_sleep));
    rounds_ = std::min(rounds_, yield_rounds + 40);
}

void Watchdog::check(int host_rank, const std::string& what) const {
    if (Clock::now() - since_ < limit_) {
        return;
    }
    throw SystemError{
        ErrorCode::system,
        fmt::format("host rank {} waited {:.1f} s in {} (another process has died, hangs or is "
                    "much slower). Look at its last message.",
                    host_rank, std::chrono::duration<double>(limit_).count(), what)};
}

}  // namespace prismllm::comm
