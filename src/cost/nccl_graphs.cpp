// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "nccl_graphs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace prismllm::cost {
namespace {

// Speeds the search tries, largest first, GB/s a channel.
constexpr std::array older_intra{40., 30., 20., 18., 15., 12., 10., 9., 7., 6., 5., 4., 3.};
constexpr std::array older_inter{48., 30., 28., 24., 20., 18., 15., 12., 10., 9.,
                                 7.,  6.,  5.,  4.,  3.,  2.4, 1.2, .24, .12};
constexpr std::array hopper_intra{60., 50., 40., 30., 24., 20., 15., 12., 11., 6., 3.};
constexpr std::array hopper_inter{48., 45., 42., 40., 30., 24., 22., 20., 17.5,
                                  15., 12., 6.,  3.,  2.4, 1.2, .24, .12};
constexpr std::array blackwell_intra{90., 80., 70., 60., 50., 45., 40., 30., 24., 20., 19., 18.};
constexpr std::array blackwell_inter{96., 86.,  80., 48., 45.1, 42., 40., 30., 24., 22.,
                                     20., 17.5, 15., 12., 6.,   3.,  2.4, 1.2, .24, .12};

constexpr double search_channels_max = 32;
constexpr double nvls_heads_max = 32;

using Speeds = std::span<const double>;

Speeds intra_speeds(GpuGeneration generation) {
    switch (generation) {
        case GpuGeneration::hopper:
            return hopper_intra;
        case GpuGeneration::blackwell:
            return blackwell_intra;
        default:
            return older_intra;
    }
}

Speeds inter_speeds(GpuGeneration generation) {
    switch (generation) {
        case GpuGeneration::hopper:
            return hopper_inter;
        case GpuGeneration::blackwell:
            return blackwell_inter;
        default:
            return older_inter;
    }
}

/// Limits one node sets to the channels of a group.
struct NodeLimits {
    double gpus = 1;      ///< of the group on this node
    double nvlink = 0;    ///< GB/s a GPU
    double nics = 0;      ///< near the group's GPUs; 0 on a single node
    double nic_rate = 0;  ///< GB/s
    double pcie = 0;      ///< GB/s a GPU

    /// A channel enters at one GPU and leaves at another, which saves each of them one hop.
    [[nodiscard]] bool ring_fits(double channels, double speed) const {
        if (gpus < 2)
            return true;
        return speed * (channels - std::floor(channels / gpus)) <= nvlink;
    }
};

ChannelGraph single_node_ring(const NodeLimits& node, Speeds speeds) {
    ChannelGraph best;
    for (const double speed : speeds) {
        const double channels = std::min(std::floor(node.nvlink / speed), search_channels_max / 2);
        if (channels * speed > best.channels * best.intra) {
            best = {static_cast<int>(channels), speed, speed};
        }
    }
    return best;
}

/// One channel a NIC, at the speed that moves most.
ChannelGraph multi_node_ring(const NodeLimits& node, Speeds speeds) {
    ChannelGraph best;
    for (const double speed : speeds) {
        if (speed > node.nic_rate)
            continue;
        double channels =
            std::min({node.nics, search_channels_max, std::floor(node.gpus * node.pcie / speed)});
        while (channels > 0 && !node.ring_fits(channels, speed))
            channels -= 1;
        if (channels * speed > best.channels * best.intra) {
            best = {static_cast<int>(channels), speed, speed};
        }
    }
    if (best.channels == 0)
        return {1, node.nic_rate, node.nic_rate};  // slower than any entry
    return best;
}

bool is_before_hopper(GpuGeneration generation) {
    return generation == GpuGeneration::volta || generation == GpuGeneration::ampere;
}

/// Fast channels are doubled at half the speed; from Hopper on only very fast or few ones.
ChannelGraph duplicated(ChannelGraph graph, GpuGeneration generation) {
    const bool doubles = graph.intra >= 25 &&
                         (is_before_hopper(generation) || graph.intra >= 50 || graph.channels <= 4);
    if (!doubles)
        return graph;
    return {graph.channels * 2, graph.intra / 2, graph.inter / 2};
}

/// The next faster entry of the list, or 0 at its top.
double next_faster(Speeds speeds, double speed) {
    double faster = 0;
    for (const double s : speeds) {
        if (s > speed)
            faster = s;
    }
    return faster;
}

/// Trees share the ring's channels and raise their intra-node speed up to twice the network's.
ChannelGraph tree_from_ring(const ChannelGraph& ring, const NodeLimits& node, Speeds speeds) {
    ChannelGraph tree = ring;
    if (node.gpus < 2)
        return tree;
    const double budget = node.nvlink * node.gpus / (node.gpus - 1);
    while (tree.intra < 2 * tree.inter) {
        const double faster = next_faster(speeds, tree.intra);
        if (faster == 0 || tree.channels * faster > budget)
            break;
        tree.intra = faster;
    }
    return tree;
}

/// NVLS: one channel a head GPU; a head also serves itself, hence heads + 1 shares.
ChannelGraph nvls_graph(const NodeLimits& node, Speeds speeds, bool single_node) {
    const double heads = single_node ? std::min(node.gpus, nvls_heads_max)
                                     : std::min({node.gpus, node.nics, nvls_heads_max});
    const double net_limit = single_node ? speeds.front() : node.nic_rate;
    for (const double speed : speeds) {
        if (speed > net_limit || (heads + 1) * speed > node.nvlink)
            continue;
        double inter = speed;
        while (inter < 2 * speed) {
            const double faster = next_faster(speeds, inter);
            if (faster == 0 || faster > net_limit)
                break;
            inter = faster;
        }
        return {static_cast<int>(heads), speed, inter};
    }
    return {};
}

CpuVendor cpu_of(const std::string& name) {
    if (name == "amd")
        return CpuVendor::amd;
    return name == "grace" ? CpuVendor::arm : CpuVendor::intel;
}

NodeLimits limits_of(const target::Cluster& cluster, const GroupShape& shape,
                     GpuGeneration generation) {
    NodeLimits node;
    node.gpus = static_cast<double>(shape.ranks_per_node);
    node.nic_rate = cluster.nic_bandwidth * 1e-9;
    node.pcie = pcie_budget(generation, node.nic_rate);
    node.nvlink = scale_up_budget(generation, cluster);
    if (shape.nodes > 1) {
        // A GPU drives the NICs next to it, never all of the node (NCCL pairs them by PCIe
        // distance); where GPUs outnumber NICs a NIC has several GPUs near it.
        const double near = node.gpus * static_cast<double>(cluster.nics_per_node) /
                            static_cast<double>(cluster.gpus_per_node);
        node.nics = std::max(1.0, std::ceil(near));
    }
    return node;
}

}  // namespace

GpuGeneration generation_of(const std::string& architecture) {
    if (architecture == "volta")
        return GpuGeneration::volta;
    if (architecture == "hopper")
        return GpuGeneration::hopper;
    if (architecture == "blackwell")
        return GpuGeneration::blackwell;
    return GpuGeneration::ampere;
}

double scale_up_budget(GpuGeneration generation, const target::Cluster& cluster) {
    double per_link = 20.0;  // of 25 GB/s
    double datasheet = 25;
    if (generation == GpuGeneration::hopper)
        per_link = 20.6;
    if (generation == GpuGeneration::blackwell) {
        per_link = 40.1;
        datasheet = 50;
    }
    const double links = cluster.nvlink_links > 0 ? static_cast<double>(cluster.nvlink_links)
                                                  : cluster.scale_up_bandwidth * 1e-9 / datasheet;
    return per_link * links;
}

double pcie_budget(GpuGeneration generation, double nic_gigabytes_per_s) {
    constexpr double gen3 = 12, gen4 = 24, gen5 = 48, gen6 = 96;
    constexpr double fastest_gen5_nic = 50;
    switch (generation) {
        case GpuGeneration::volta:
            return gen3;
        case GpuGeneration::ampere:
            return gen4;
        case GpuGeneration::hopper:
            return gen5;
        case GpuGeneration::blackwell:
            // B200 boards have Gen5, those with 800 Gbit/s NICs Gen6.
            return nic_gigabytes_per_s > fastest_gen5_nic ? gen6 : gen5;
    }
    return gen4;
}

Topology topology_of(const target::Device& device, const target::Cluster& cluster,
                     const GroupShape& shape) {
    Topology t;
    t.generation = generation_of(device.architecture);
    // Scale-up links no faster than a PCIe Gen5 x16 port are PCIe.
    constexpr double fastest_pcie = 64e9;
    t.link = cluster.scale_up_bandwidth > fastest_pcie ? IntraLink::nvlink : IntraLink::pcie;
    t.cpu = cpu_of(cluster.cpu);
    t.net_overhead_us = t.cpu == CpuVendor::amd ? 2.0 : 1.0;
    t.ranks = shape.ranks;
    t.nodes = shape.nodes;
    t.ranks_per_node = shape.ranks_per_node;

    const bool single_node = shape.nodes == 1;
    const NodeLimits node = limits_of(cluster, shape, t.generation);
    const Speeds speeds = single_node ? intra_speeds(t.generation) : inter_speeds(t.generation);
    const ChannelGraph found =
        single_node ? single_node_ring(node, speeds) : multi_node_ring(node, speeds);
    t.ring = duplicated(found, t.generation);
    t.tree = single_node ? t.ring : tree_from_ring(t.ring, node, speeds);
    if (cluster.nvswitch && !is_before_hopper(t.generation) && shape.ranks_per_node > 1) {
        t.nvls = nvls_graph(node, speeds, single_node);
    }
    // The balanced pattern, which spreads a NIC over two GPUs, is found only where channels are
    // few; a node with one GPU has nothing to balance.
    t.plain_tree = !single_node && (shape.ranks_per_node == 1 ||
                                    (!is_before_hopper(t.generation) && found.channels > 4));
    t.same_channels = single_node || shape.ranks_per_node == 1;
    t.run_channels = std::min(64, 2 * t.ring.channels);
    const bool widens =
        !is_before_hopper(t.generation) && !single_node && t.ring.intra > 45 && t.run_channels < 16;
    if (widens)
        t.run_channels *= 2;
    return t;
}

}  // namespace prismllm::cost
