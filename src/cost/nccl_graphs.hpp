// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file nccl_graphs.hpp
/// What NCCL's topology search finds on a node of equal GPUs behind NVSwitch: how many channels
/// of which speed. These are the inputs of its time model (nccl_tuner.hpp). The rules are those
/// of the search in NCCL 2.30 cut down to symmetric nodes; docs/explanation/cost_model.md lists
/// the systems they were compared with.
#pragma once

#include <cstdint>
#include <string>

#include "prismllm/cost/collective_model.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::cost {

enum class GpuGeneration : std::uint8_t { volta, ampere, hopper, blackwell };

/// NCCL's column for an architecture name of a device file; unknown names count as ampere, the
/// oldest generation whose constants were measured with NVSwitch.
[[nodiscard]] GpuGeneration generation_of(const std::string& architecture);

/// One of NCCL's channel graphs. Speeds are GB/s a channel.
struct ChannelGraph {
    int channels = 0;
    double intra = 0;  ///< inside a node
    double inter = 0;  ///< over the network; equals `intra` on one node
};

enum class IntraLink : std::uint8_t { nvlink, pcie };
enum class CpuVendor : std::uint8_t { intel, amd, arm };

/// All that NCCL's time model reads of a communicator.
struct Topology {
    GpuGeneration generation = GpuGeneration::ampere;
    IntraLink link = IntraLink::nvlink;
    CpuVendor cpu = CpuVendor::intel;
    double net_overhead_us = 1;  ///< posting one network operation
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t ranks_per_node = 1;
    ChannelGraph ring, tree, nvls;
    bool plain_tree = false;     ///< NCCL pattern TREE: no balancing over two GPUs of a node
    bool same_channels = false;  ///< every ring channel visits the GPUs in the same order
    int run_channels = 2;        ///< thread blocks of a large ring or tree call
};

/// Scale-up bandwidth NCCL counts for one GPU and direction, GB/s: by the number of NVLinks, or,
/// where the cluster file does not state it, the same share of the datasheet bandwidth.
[[nodiscard]] double scale_up_budget(GpuGeneration generation, const target::Cluster& cluster);

/// Bandwidth NCCL counts for the PCIe port of one GPU, GB/s.
[[nodiscard]] double pcie_budget(GpuGeneration generation, double nic_gigabytes_per_s);

[[nodiscard]] Topology topology_of(const target::Device& device, const target::Cluster& cluster,
                                   const GroupShape& shape);

}  // namespace prismllm::cost
