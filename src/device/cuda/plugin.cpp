// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What prismllm loads where a job runs on CUDA GPUs.
#include "../plugin.hpp"

#include <string>

#include "cuda_driver.hpp"
#include "cuda_operations.hpp"

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

constexpr Plugin plugin{plugin_version, count_devices, make_driver, make_operations};

}  // namespace
}  // namespace prismllm::device::cuda

extern "C" __attribute__((visibility("default"))) const prismllm::device::Plugin*
prismllm_device_plugin() {
    return &prismllm::device::cuda::plugin;
}
