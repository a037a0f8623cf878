// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "nccl_tuner.hpp"

#include <algorithm>
#include <array>

#include "prismllm/base/error.hpp"

namespace prismllm::cost {
namespace {

using graph::CollectiveKind;

using PerProtocol = std::array<double, 3>;  // LL, LL128, Simple
using PerNodes = std::array<double, 3>;     // 1 node, 2 nodes, more
template <class T>
using PerGeneration = std::array<T, 4>;  // Volta, Ampere, Hopper, Blackwell

constexpr PerProtocol tree_base_us{6.8, 14.0, 8.4};
constexpr PerProtocol ring_base_us{6.6, 14.0, 8.4};
constexpr double pat_base_us = 8.0;

// Latency of one step by link.
struct LinkLatency {
    PerProtocol tree, ring;
};
constexpr LinkLatency nvlink_us{{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}};
constexpr LinkLatency pcie_us{{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}};
constexpr LinkLatency network_us{{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}};
constexpr double nvls_intra_us = 25;
constexpr double nvls_tree_inter_us = 20.9;
constexpr double pat_network_us = 14;

// Bandwidth caps, GB/s.
constexpr PerGeneration<PerNodes> ll_max{
    {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
constexpr PerGeneration<PerNodes> ring_ll128_per_channel{
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
constexpr PerGeneration<PerNodes> tree_ll128_per_channel{
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
constexpr PerGeneration<PerNodes> tree_per_channel{
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
constexpr PerGeneration<PerNodes> nvls_tree_per_channel{
    {{0, 0, 0}, {0, 0, 0}, {0, 57.7, 45.5}, {0, 96, 80}}};
constexpr PerGeneration<double> nvls_efficiency{0, 0, 0.85, 0.74};

// Trees miss their bandwidth at medium sizes: factor by floor(log2(bytes / 64)).
constexpr std::array<std::array<double, 24>, 3> tree_correction{
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
      .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};
constexpr std::size_t corrected_sizes_tree = 23;       // NCCL leaves the last entry out
constexpr std::size_t corrected_sizes_nvls_tree = 24;  // since 2.30, Blackwell on x86

std::size_t index_of(GpuGeneration generation) {
    return static_cast<std::size_t>(generation);
}
std::size_t index_of(Protocol protocol) {
    return static_cast<std::size_t>(protocol);
}
std::size_t node_column(const Topology& t) {
    return static_cast<std::size_t>(std::min<std::int64_t>(t.nodes, 3) - 1);
}

int floor_log2(std::int64_t value) {
    int log = 0;
    for (; value > 1; value >>= 1)
        ++log;
    return log;
}

double cap(const PerGeneration<PerNodes>& table, const Topology& t) {
    return table[index_of(t.generation)][node_column(t)];
}

/// LL stores flags with the data through the CPU-visible path: several nodes are limited by the
/// CPU, whose rows are those of the first two generations.
double ll_limit(const Topology& t) {
    if (t.nodes == 1)
        return ll_max[index_of(t.generation)][0];
    const auto row = t.cpu == CpuVendor::amd ? GpuGeneration::ampere : GpuGeneration::volta;
    return ll_max[index_of(row)][node_column(t)];
}

bool is_gather_or_scatter(CollectiveKind kind) {
    return kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
}

double ring_steps(CollectiveKind kind, double ranks) {
    if (kind == CollectiveKind::all_reduce)
        return 2 * (ranks - 1);
    return is_gather_or_scatter(kind) ? ranks - 1 : ranks;
}

const LinkLatency& intra_latency(const Topology& t) {
    return t.link == IntraLink::nvlink ? nvlink_us : pcie_us;
}

/// LL128 needs NVLink inside a node; its stores must not be split on the way.
bool has_ll128(const Topology& t) {
    return t.link == IntraLink::nvlink || t.ranks_per_node == 1;
}

TunerRow ring_row(CollectiveKind kind, Protocol protocol, const Topology& t) {
    const auto ranks = static_cast<double>(t.ranks);
    const double steps = ring_steps(kind, ranks);
    const std::size_t p = index_of(protocol);
    TunerRow row;

    double bus = t.ring.channels * (t.nodes <= 2 ? t.ring.intra : t.ring.inter);
    if (protocol == Protocol::ll)
        bus = std::min(ll_limit(t), bus / 2);
    if (protocol == Protocol::ll128) {
        bus = std::min(0.92 * bus, t.ring.channels * cap(ring_ll128_per_channel, t));
    }
    row.bandwidth = bus * ranks / steps;
    row.network = bus;

    double step_us = intra_latency(t).ring[p];
    const bool is_rooted = kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
    if (is_rooted) {
        const bool simple = protocol == Protocol::simple;
        const LinkLatency& link = t.nodes > 1 ? network_us : intra_latency(t);
        const double hop_us = simple && !t.same_channels ? link.tree[p] : link.ring[p];
        row.latency_us = ring_base_us[p] + (t.same_channels ? hop_us : steps * hop_us);
        return row;
    }
    double network_steps = 0;
    if (t.nodes > 1) {
        // posting a network operation sets the pace where it is slower than a hop in the node
        step_us = std::max(step_us, t.net_overhead_us * (protocol == Protocol::simple ? 3 : 1));
        network_steps =
            (kind == CollectiveKind::all_reduce ? 2.0 : 1.0) * static_cast<double>(t.nodes - 1);
    }
    const double network_step_us = t.ranks_per_node == 1 ? network_us.tree[p] : network_us.ring[p];
    row.latency_us =
        ring_base_us[p] + (steps - network_steps) * step_us + network_steps * network_step_us;
    return row;
}

/// A node of a double binary tree passes every byte twice in each direction (once up, once down);
/// with two nodes each is leaf of one tree and root of the other, and once is enough.
double tree_network(double bandwidth, const Topology& t) {
    return t.nodes <= 2 ? bandwidth : 2 * bandwidth;
}

TunerRow tree_row(Protocol protocol, const Topology& t) {
    const std::size_t p = index_of(protocol);
    const double channels = t.tree.channels;
    TunerRow row;
    double bus = channels * (t.nodes <= 2 ? t.tree.intra : t.tree.inter);
    bus = std::min(0.92 * bus, channels * cap(tree_per_channel, t));
    if (protocol == Protocol::ll)
        bus = std::min(bus / 3.8, ll_limit(t));
    if (protocol == Protocol::ll128) {
        bus = std::min(bus * (t.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                       channels * cap(tree_ll128_per_channel, t));
    }
    if (t.plain_tree)
        bus *= 0.85;
    row.bandwidth = bus * 0.5;
    row.network = tree_network(row.bandwidth, t);

    const double intra_us =
        2 * static_cast<double>(t.ranks_per_node - 1) * intra_latency(t).tree[p];
    const double inter_us = 2 * floor_log2(t.nodes) * network_us.tree[p];
    row.latency_us = tree_base_us[p] + intra_us + inter_us;
    return row;
}

TunerRow nvls_row(CollectiveKind kind, Algorithm algorithm, const Topology& t) {
    const auto ranks = static_cast<double>(t.ranks);
    const auto per_node = static_cast<double>(t.ranks_per_node);
    const double channels = t.nvls.channels;
    double intra =
        t.nvls.intra * nvls_efficiency[index_of(t.generation)] * (channels - 1) / channels;
    intra *= is_gather_or_scatter(kind) ? (per_node - 1) / per_node : 2;
    double inter = t.nvls.inter;
    TunerRow row;
    row.latency_us = nvls_intra_us;
    if (algorithm == Algorithm::nvls_tree) {
        if (t.nodes <= 2)
            inter *= 2;
        inter = std::min(inter, cap(nvls_tree_per_channel, t));
        row.latency_us += 2 * floor_log2(t.nodes) * nvls_tree_inter_us;
    }
    const double bus = channels * std::min(intra, inter);
    // Gathers and scatters keep the bus figure: NCCL converts rings only.
    row.bandwidth = is_gather_or_scatter(kind) ? bus : bus * ranks / ring_steps(kind, ranks);
    row.network = tree_network(row.bandwidth, t);
    return row;
}

TunerRow pat_row(const Topology& t) {
    TunerRow row;
    row.network = 0.75 * t.tree.channels * (t.nodes <= 2 ? t.tree.intra : t.tree.inter);
    row.bandwidth = row.network;
    row.latency_us = pat_base_us + floor_log2(t.nodes) * (pat_network_us / 3.5) +
                     2.8 * static_cast<double>(t.ranks);
    return row;
}

}  // namespace

bool nvls_reduces(graph::DType dtype, graph::ReduceOp reduce) {
    if (reduce == graph::ReduceOp::avg)
        return false;
    switch (dtype) {
        case graph::DType::fp32:
            return reduce == graph::ReduceOp::sum;
        case graph::DType::fp8:
        case graph::DType::uint8:
            return false;
        default:
            return true;
    }
}

std::optional<TunerRow> tuner_row(CollectiveKind kind, Algorithm algorithm, Protocol protocol,
                                  const Topology& t) {
    PRISMLLM_ASSERT(t.ranks > 1, "NCCL makes no choice for a group of one");
    const bool is_all_reduce = kind == CollectiveKind::all_reduce;
    const bool simple = protocol == Protocol::simple;
    if (protocol == Protocol::ll128 && !has_ll128(t))
        return std::nullopt;
    switch (algorithm) {
        case Algorithm::ring:
            if (t.ring.channels == 0)
                return std::nullopt;
            return ring_row(kind, protocol, t);
        case Algorithm::tree:
            if (!is_all_reduce || t.tree.channels == 0)
                return std::nullopt;
            return tree_row(protocol, t);
        case Algorithm::nvls:
            if (!simple || t.nodes > 1 || t.nvls.channels < 2)
                return std::nullopt;
            if (!is_all_reduce && !is_gather_or_scatter(kind))
                return std::nullopt;
            return nvls_row(kind, algorithm, t);
        case Algorithm::nvls_tree:
            if (!simple || t.nodes == 1 || t.nvls.channels < 2 || !is_all_reduce) {
                return std::nullopt;
            }
            return nvls_row(kind, algorithm, t);
        case Algorithm::pat:
            if (!simple || !is_gather_or_scatter(kind) || t.nodes != t.ranks)
                return std::nullopt;
            return pat_row(t);
        case Algorithm::collnet_direct:
        case Algorithm::collnet_chain:
            return std::nullopt;
    }
    return std::nullopt;
}

SizeFactors size_factors(CollectiveKind kind, Algorithm algorithm, Protocol protocol,
                         std::int64_t bytes, const Topology& t) {
    SizeFactors factors;
    const bool is_all_reduce = kind == CollectiveKind::all_reduce;
    std::size_t corrected = 0;
    if (algorithm == Algorithm::tree)
        corrected = corrected_sizes_tree;
    if (algorithm == Algorithm::nvls_tree && t.generation == GpuGeneration::blackwell &&
        t.cpu != CpuVendor::arm) {
        corrected = corrected_sizes_nvls_tree;
    }
    if (is_all_reduce && bytes >= 64) {
        const auto size = static_cast<std::size_t>(floor_log2(bytes / 64));
        if (size < corrected)
            factors.bandwidth = tree_correction[index_of(protocol)][size];
    }
    constexpr std::int64_t pipelined_bytes = 64;
    if (algorithm == Algorithm::ring && protocol == Protocol::simple && is_all_reduce &&
        t.nodes > 1 && bytes / (t.run_channels * t.ranks) >= pipelined_bytes) {
        factors.latency = t.generation == GpuGeneration::volta ? 1.9 : 1.4;
    }
    return factors;
}

double smooth_bandwidth_factor(CollectiveKind kind, Algorithm algorithm, Protocol protocol,
                               std::int64_t bytes, const Topology& t) {
    const double here = size_factors(kind, algorithm, protocol, bytes, t).bandwidth;
    if (bytes < 64)
        return here;
    const std::int64_t lower = std::int64_t{1} << floor_log2(bytes);
    const double next = size_factors(kind, algorithm, protocol, 2 * lower, t).bandwidth;
    if (next <= here)
        return here;
    const double position = static_cast<double>(bytes - lower) / static_cast<double>(lower);
    return here + (next - here) * position;
}

}  // namespace prismllm::cost
