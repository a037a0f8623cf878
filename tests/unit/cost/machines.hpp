// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file machines.hpp
/// The machines the published tables speak of, for tests of the cost room.
#pragma once

#include "prismllm/cost/collective_model.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::cost::testing {

inline target::Device a100() {
    target::Device d;
    d.name = "A100";
    d.architecture = "ampere";
    d.sm_count = 108;
    d.fp32_flops = 19.5e12;
    d.fp16_flops = d.bf16_flops = 312e12;
    d.memory_bandwidth = 2039e9;
    d.launch_gap_us = 2.6;
    d.gemm_bf16 = {0.913, 0.766, 0.665, 0.642, 1.01, 3.35, 0.728,   1,
                   4.79,  0.121, 91.3,  0,     0,    1,    "cuBLAS"};
    return d;
}

inline target::Device h100() {
    target::Device d;
    d.name = "H100";
    d.architecture = "hopper";
    d.sm_count = 132;
    d.fp32_flops = 66.9e12;
    d.fp16_flops = d.bf16_flops = 989.4e12;
    d.fp8_flops = 1978.9e12;
    d.memory_bandwidth = 3352e9;
    d.launch_gap_us = 2.5;
    d.gemm_bf16 = {0.847, 0.853, 0.622, 0.567, 0.966, 1.68, 0.814,   0.0959,
                   4.07,  0.05,  62.6,  0,     0,     1,    "cuBLAS"};
    return d;
}

inline target::Device b200() {
    target::Device d;
    d.architecture = "blackwell";
    return d;
}

inline target::Cluster cluster(const char* cpu, std::int64_t links, double link_gigabytes,
                               std::int64_t nics, double nic_gigabytes) {
    target::Cluster c;
    c.cpu = cpu;
    c.gpus_per_node = 8;
    c.nvlink_links = links;
    c.scale_up_bandwidth = static_cast<double>(links) * link_gigabytes * 1e9;
    c.nics_per_node = nics;
    c.nic_bandwidth = nic_gigabytes * 1e9;
    return c;
}

inline target::Cluster dgx_a100() {
    return cluster("amd", 12, 25, 8, 25);
}
inline target::Cluster dgx_h100() {
    return cluster("intel", 18, 25, 8, 50);
}
inline target::Cluster dgx_b200() {
    return cluster("intel", 18, 50, 8, 50);
}
inline target::Cluster nvl72() {
    target::Cluster c = cluster("grace", 18, 50, 72, 50);
    c.gpus_per_node = 72;
    return c;
}

/// A group that fills whole nodes of 8.
inline GroupShape full_nodes(std::int64_t nodes) {
    return {8 * nodes, nodes, 8, 1};
}

}  // namespace prismllm::cost::testing
