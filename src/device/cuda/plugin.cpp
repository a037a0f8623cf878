// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What prismllm loads where a job runs on CUDA GPUs.
#include "../plugin.hpp"

#include <array>
#include <string>

#include "prismllm/base/host_name.hpp"

#include "check.hpp"
#include "cuda_driver.hpp"
#include "cuda_operations.hpp"
#include "nccl.hpp"

namespace prismllm::device::cuda {
namespace {

int count_devices(const char** reason) {
    static thread_local std::string text;
    int count = 0;  // the call leaves it as it is where there is no driver
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) {
        return count;
    }
    text = error == cudaSuccess ? "the driver sees no GPU" : cudaGetErrorString(error);
    *reason = text.c_str();
    return 0;
}

Driver* make_driver(int number) {
    return make_cuda_driver(number).release();
}

StreamOperations* make_operations() {
    return new CudaOperations;
}

#ifdef PRISMLLM_NCCL
StreamCollectives* make_collectives() {
    return make_nccl().release();
}
#else
constexpr StreamCollectives* (*make_collectives)() = nullptr;
#endif

std::string name_device(int number) {
    std::array<char, 32> bus{};
    check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), number),
          "tell its place on the bus");
    return host_name() + " " + bus.data();
}

constexpr Plugin plugin{plugin_version,  count_devices,    make_driver,
                        make_operations, make_collectives, name_device};

}  // namespace
}  // namespace prismllm::device::cuda

extern "C" __attribute__((visibility("default"))) const prismllm::device::Plugin*
prismllm_device_plugin() {
    return &prismllm::device::cuda::plugin;
}
