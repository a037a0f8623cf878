// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// device_tests cuda|lazy [GOOGLETEST OPTION...]: tests of GPU 0, or of the host in its place, which
// shows that the tests themselves are right.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include "prismllm/device/rank_executor.hpp"

#include "device_under_test.hpp"
#include "lazy_device.hpp"
#include "open_device.hpp"

namespace prismllm::device {
namespace {

constexpr int skipped = 77;
bool on_gpu = false;

}  // namespace

bool tests_gpu() {
    return on_gpu;
}

std::unique_ptr<Device> device_under_test() {
    if (on_gpu) {
        return open_device(target::RankDevice::cuda, 0, true);
    }
    static LazyDriver::Leftovers leftovers;
    auto driver = std::make_unique<LazyDriver>(leftovers);
    auto operations = std::make_unique<LazyOperations>(*driver);
    return std::make_unique<StreamedDevice>(std::move(driver), std::move(operations), nullptr);
}

}  // namespace prismllm::device

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc != 2 || (std::strcmp(argv[1], "cuda") != 0 && std::strcmp(argv[1], "lazy") != 0)) {
        std::fprintf(stderr, "usage: device_tests cuda|lazy [GOOGLETEST OPTION...]\n");
        return 2;
    }
    prismllm::device::on_gpu = std::strcmp(argv[1], "cuda") == 0;
    if (prismllm::device::on_gpu) {
        const auto count = prismllm::device::count_devices(prismllm::target::RankDevice::cuda);
        if (!count) {
            std::printf("skipped: %s\n", count.error().message.c_str());
            return prismllm::device::skipped;
        }
    }
    Kokkos::initialize();
    const int failed = RUN_ALL_TESTS();
    Kokkos::finalize();
    return failed;
}
