// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <atomic>
#include <csignal>

namespace prismllm::cli {
namespace {

std::atomic<int> stop{0};
static_assert(std::atomic<int>::is_always_lock_free, "needed in a signal handler");

void on_signal(int number) {
    stop = 1;
    std::signal(number, SIG_DFL);
}

}  // namespace

void catch_stop_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGUSR1}) {
        std::signal(number, on_signal);
    }
    if (std::signal(SIGHUP, on_signal) == SIG_IGN) {  // nohup: the terminal may go
        std::signal(SIGHUP, SIG_IGN);
    }
}

bool stop_requested() {
    return stop != 0;
}

}  // namespace prismllm::cli
