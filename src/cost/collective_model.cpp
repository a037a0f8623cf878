// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/cost/collective_model.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "prismllm/base/error.hpp"
#include "prismllm/base/units.hpp"

#include "nccl_graphs.hpp"
#include "nccl_tuner.hpp"

namespace prismllm::cost {
namespace {

using graph::CollectiveKind;

constexpr std::array algorithms{Algorithm::tree,
                                Algorithm::ring,
                                Algorithm::collnet_direct,
                                Algorithm::collnet_chain,
                                Algorithm::nvls,
                                Algorithm::nvls_tree,
                                Algorithm::pat};
constexpr std::array protocols{Protocol::ll, Protocol::ll128, Protocol::simple};

/// Copy kernels reach this share of the links NCCL counts (NCCL 2.2x on H100 and B200: all-to-all
/// 672 of 722 GB/s).
constexpr double copy_efficiency = 0.92;

constexpr double bytes_per_us = 1e-3;  // GB/s to bytes per us is x 1e3; this is its inverse

double microseconds(double bytes, double gigabytes_per_s) {
    return bytes * bytes_per_us / gigabytes_per_s;
}

/// NCCL's estimate of one combination and the parts the corrections work on.
struct Candidate {
    Choice choice;
    TunerRow row;
    SizeFactors factors;
};

bool is_reduction(CollectiveKind kind) {
    return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
           kind == CollectiveKind::reduce;
}

bool is_nvls(Algorithm algorithm) {
    return algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree;
}

/// fp8 rings lose precision with every hop; NCCL makes them a last resort.
double precision_penalty(CollectiveKind kind, graph::DType dtype, Algorithm algorithm,
                         std::int64_t ranks) {
    const bool last_resort = dtype == graph::DType::fp8 && is_reduction(kind) &&
                             algorithm == Algorithm::ring && ranks > 8;
    return last_resort ? 1024 : 1;
}

Candidate cheapest(CollectiveKind kind, graph::DType dtype, graph::ReduceOp reduce,
                   std::int64_t bytes, const Topology& topology) {
    Candidate best;
    double best_us = std::numeric_limits<double>::infinity();
    for (const Algorithm algorithm : algorithms) {
        if (is_nvls(algorithm) && is_reduction(kind) && !nvls_reduces(dtype, reduce))
            continue;
        for (const Protocol protocol : protocols) {
            const auto row = tuner_row(kind, algorithm, protocol, topology);
            if (!row || row->bandwidth <= 0)
                continue;
            const SizeFactors factors = size_factors(kind, algorithm, protocol, bytes, topology);
            const double latency_us = row->latency_us * factors.latency;
            const double bandwidth = row->bandwidth * factors.bandwidth;
            const double time_us = latency_us + microseconds(static_cast<double>(bytes), bandwidth);
            const double compared_us =
                time_us * precision_penalty(kind, dtype, algorithm, topology.ranks);
            // Strictly less: ties keep the earlier combination, as in NCCL.
            if (compared_us < best_us) {
                best_us = compared_us;
                best = {{algorithm, protocol, time_us, latency_us, bandwidth}, *row, factors};
            }
        }
    }
    PRISMLLM_ASSERT(best.row.bandwidth > 0, "a ring of some protocol always exists");
    return best;
}

/// GB/s that the NICs of one node carry for one of the groups that share it.
double network_share(const target::Cluster& cluster, const GroupShape& shape) {
    const auto nics = static_cast<double>(std::max<std::int64_t>(1, cluster.nics_per_node));
    return nics * cluster.nic_bandwidth * 1e-9 * cluster.nic_efficiency /
           static_cast<double>(shape.groups_sharing_node);
}

/// Pipelines fill slowly: between half of the bandwidth for small messages and all of it for
/// those far above `half_size`; the added time never exceeds half_size / bandwidth.
double fill_factor(double bytes, double half_size) {
    return half_size > 0 ? 1 + half_size / (bytes + half_size) : 1;
}

double corrected_us(const Candidate& candidate, double bytes, double size_factor,
                    const target::Cluster& cluster, const GroupShape& shape) {
    const bool single_node = shape.nodes == 1;
    const TunerRow& row = candidate.row;
    const double latency_us =
        row.latency_us * candidate.factors.latency *
        (single_node ? cluster.latency_factor_scale_up : cluster.latency_factor_scale_out);

    double size_us = microseconds(bytes, row.bandwidth * size_factor);
    if (!single_node) {
        size_us *= std::max(1.0, row.network * size_factor / network_share(cluster, shape));
    }
    if (candidate.choice.protocol != Protocol::ll) {
        size_us *= fill_factor(bytes, single_node ? cluster.half_size_scale_up_bytes
                                                  : cluster.half_size_scale_out_bytes);
    }
    return latency_us + size_us;
}

/// One group of sends and receives, every rank to every other.
double all_to_all_us(double bytes, const target::Device& device, const target::Cluster& cluster,
                     const GroupShape& shape) {
    const auto ranks = static_cast<double>(shape.ranks);
    const auto near = static_cast<double>(shape.ranks_per_node);
    const GpuGeneration generation = generation_of(device.architecture);
    const double link = scale_up_budget(generation, cluster) * copy_efficiency;
    const double near_bytes = bytes * (near - 1) / ranks;
    const double near_us =
        microseconds(near_bytes, link) * fill_factor(near_bytes, cluster.half_size_scale_up_bytes);
    if (shape.nodes == 1)
        return cluster.p2p_latency_scale_up_us + near_us;

    // Network messages are posted one by one: 37 us for 8 remote peers against 14.5 for one.
    constexpr double per_remote_peer_us = 2.8;
    const double nic = cluster.nic_bandwidth * 1e-9;
    const double gpu_share =
        std::min(pcie_budget(generation, nic), network_share(cluster, shape) / near);
    const double far_us = microseconds(bytes * (ranks - near) / ranks, gpu_share);
    return cluster.p2p_latency_scale_out_us + per_remote_peer_us * (ranks - near - 1) +
           std::max(near_us, far_us);
}

std::int64_t bytes_of(const graph::Communication& call, std::int64_t ranks) {
    if (call.kind == CollectiveKind::barrier)
        return graph::size_of(call.dtype);
    return graph::payload_bytes(call, ranks);
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::tree:
            return "tree";
        case Algorithm::ring:
            return "ring";
        case Algorithm::collnet_direct:
            return "collnet_direct";
        case Algorithm::collnet_chain:
            return "collnet_chain";
        case Algorithm::nvls:
            return "nvls";
        case Algorithm::nvls_tree:
            return "nvls_tree";
        case Algorithm::pat:
            return "pat";
    }
    return "unknown";
}

std::string_view name_of(Protocol protocol) {
    switch (protocol) {
        case Protocol::ll:
            return "ll";
        case Protocol::ll128:
            return "ll128";
        case Protocol::simple:
            return "simple";
    }
    return "unknown";
}

CollectiveModel::CollectiveModel(target::Device device, target::Cluster cluster)
    : device_{std::move(device)}, cluster_{std::move(cluster)} {}

Choice CollectiveModel::choose(CollectiveKind kind, graph::DType dtype, graph::ReduceOp reduce,
                               std::int64_t bytes, const GroupShape& shape) const {
    return cheapest(kind, dtype, reduce, bytes, topology_of(device_, cluster_, shape)).choice;
}

graph::Cost CollectiveModel::collective(const graph::Communication& call,
                                        const GroupShape& shape) const {
    const auto bytes = bytes_of(call, shape.ranks);
    if (call.kind == CollectiveKind::send || call.kind == CollectiveKind::recv) {
        return point_to_point(bytes, shape.nodes == 1);
    }
    double time_us = cluster_.collective_launch_us;
    if (shape.ranks > 1) {
        if (call.kind == CollectiveKind::all_to_all) {
            time_us += all_to_all_us(static_cast<double>(bytes), device_, cluster_, shape);
        } else {
            const CollectiveKind kind =
                call.kind == CollectiveKind::barrier ? CollectiveKind::all_reduce : call.kind;
            const Topology topology = topology_of(device_, cluster_, shape);
            const Candidate candidate = cheapest(kind, call.dtype, call.reduce, bytes, topology);
            const Choice& choice = candidate.choice;
            const double size_factor =
                smooth_bandwidth_factor(kind, choice.algorithm, choice.protocol, bytes, topology);
            time_us +=
                corrected_us(candidate, static_cast<double>(bytes), size_factor, cluster_, shape);
        }
    }
    return {duration_from_seconds(time_us * 1e-6).count(), graph::Provenance::modelled};
}

graph::Cost CollectiveModel::point_to_point(std::int64_t bytes, bool same_node) const {
    const GpuGeneration generation = generation_of(device_.architecture);
    const auto size = static_cast<double>(bytes);
    double time_us = 0;
    if (same_node) {
        // NCCL starts a pair on 4 of its channels and opens more once a channel has 16 MiB.
        constexpr double channels = 4;
        constexpr double channel_rate = 21;
        constexpr double channel_bytes = 16.0 * 1024 * 1024;
        const double link = scale_up_budget(generation, cluster_) * copy_efficiency;
        time_us = cluster_.p2p_latency_scale_up_us +
                  std::max(microseconds(size, link),
                           microseconds(std::min(size / channels, channel_bytes), channel_rate));
    } else {
        // All GPUs of a node pass their activations on at once.
        const double nic = cluster_.nic_bandwidth * 1e-9;
        const double share =
            nic * cluster_.nic_efficiency *
            static_cast<double>(std::max<std::int64_t>(1, cluster_.nics_per_node)) /
            static_cast<double>(cluster_.gpus_per_node);
        time_us = cluster_.p2p_latency_scale_out_us +
                  microseconds(size, std::min(share, pcie_budget(generation, nic)));
    }
    return {duration_from_seconds(time_us * 1e-6).count(), graph::Provenance::modelled};
}

}  // namespace prismllm::cost
