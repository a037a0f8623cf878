// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// device_tests KIND [GOOGLETEST OPTION...]: tests of GPU 0 ("cuda"), or of the host in its place:
// with queues and the host's operations ("lazy"), or with the plug-in's ("kernels").
#include <cstdio>
#include <string>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include "prismllm/device/rank_executor.hpp"

#include "device_under_test.hpp"
#include "lazy_device.hpp"
#include "open_device.hpp"

#ifdef PRISMLLM_CUDA_ON_HOST
#include "cuda_driver.hpp"
#include "cuda_operations.hpp"
#endif

namespace prismllm::device {
namespace {

constexpr int skipped = 77;
std::string kind;

}  // namespace

std::unique_ptr<Device> device_under_test() {
    if (kind == "cuda") {
        return open_device(target::RankDevice::cuda, 0, true);
    }
#ifdef PRISMLLM_CUDA_ON_HOST
    if (kind == "kernels") {
        constexpr std::int64_t small = 512;  // so that attention takes several tiles
        return std::make_unique<StreamedDevice>(
            cuda::make_cuda_driver(0), std::make_unique<cuda::CudaOperations>(small), nullptr);
    }
#endif
    static LazyDriver::Leftovers leftovers;
    auto driver = std::make_unique<LazyDriver>(leftovers);
    auto operations = std::make_unique<LazyOperations>(*driver);
    return std::make_unique<StreamedDevice>(std::move(driver), std::move(operations), nullptr);
}

}  // namespace prismllm::device

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    using prismllm::device::kind;
    kind = argc == 2 ? argv[1] : "";
    if (kind != "cuda" && kind != "lazy" && kind != "kernels") {
        std::fprintf(stderr, "usage: device_tests cuda|lazy|kernels [GOOGLETEST OPTION...]\n");
        return 2;
    }
    if (kind == "cuda") {
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
