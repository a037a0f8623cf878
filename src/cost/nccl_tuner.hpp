// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file nccl_tuner.hpp
/// NCCL's own time model (2.30), the quantity its algorithm choice minimises: a latency and an
/// algorithm bandwidth for every collective, algorithm and protocol. Formulas and constants:
/// docs/explanation/cost_model.md.
#pragma once

#include <cstdint>
#include <optional>

#include "prismllm/cost/collective_model.hpp"

#include "nccl_graphs.hpp"

namespace prismllm::cost {

struct TunerRow {
    double latency_us = 0;
    double bandwidth = 0;  ///< algorithm bandwidth, GB/s
    double network = 0;    ///< GB/s one way through one node's NICs while it runs
};

/// Latency and bandwidth of one combination; nothing where NCCL never offers it: collective
/// without such an algorithm, protocol without support, CollNet and multi-node NVLS (both need
/// the SHARP plug-in, which is not modelled).
[[nodiscard]] std::optional<TunerRow> tuner_row(graph::CollectiveKind kind, Algorithm algorithm,
                                                Protocol protocol, const Topology& topology);

/// Whether the NVLink switch can reduce this type and operation.
[[nodiscard]] bool nvls_reduces(graph::DType dtype, graph::ReduceOp reduce);

/// Size-dependent factors NCCL applies when it compares calls of `bytes`.
struct SizeFactors {
    double latency = 1;
    double bandwidth = 1;
};
[[nodiscard]] SizeFactors size_factors(graph::CollectiveKind kind, Algorithm algorithm,
                                       Protocol protocol, std::int64_t bytes,
                                       const Topology& topology);

/// NCCL's bandwidth factor changes at powers of two only. Where it rises it is interpolated up to
/// the next one, so that a price does not fall where a message grows.
[[nodiscard]] double smooth_bandwidth_factor(graph::CollectiveKind kind, Algorithm algorithm,
                                             Protocol protocol, std::int64_t bytes,
                                             const Topology& topology);

}  // namespace prismllm::cost
