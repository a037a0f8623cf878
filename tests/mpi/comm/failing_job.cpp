// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file failing_job.cpp
/// A job of which host rank 1 fails in the way its argument names, while the others wait for it.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/communicator.hpp"
#include "prismllm/comm/environment.hpp"

namespace {

using prismllm::ErrorCode;
namespace comm = prismllm::comm;

void fail_as_told(std::string_view way) {
    if (way == "throw") {
        throw std::runtime_error{"host rank 1 throws"};
    }
    if (way == "abort") {
        comm::abort_job(ErrorCode::resources);
    }
    if (way == "killed") {
        std::raise(SIGKILL);
    }
    if (way == "silent") {
        // Longer than the others are willing to wait, and than the test runs.
        std::this_thread::sleep_for(std::chrono::minutes{2});
    }
}

void run(std::string_view way) {
    const comm::Environment environment;
    comm::Communicator world = comm::Communicator::world();
    if (way == "silent") {
        world.limit_waits(std::chrono::milliseconds{500});
    }
    if (world.rank() == 1) {
        fail_as_told(way);
    }
    try {
        world.barrier();
    } catch (const prismllm::SystemError& e) {
        std::fprintf(stderr, "%s\n", e.what());
        comm::abort_job(e.code());
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(argc > 1 ? argv[1] : "");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "too late: %s\n", e.what());
    }
    return 0;
}
