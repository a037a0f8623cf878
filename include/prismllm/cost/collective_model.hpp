// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/cost/collective_model.hpp
/// How long one communication call takes once all members have arrived: NCCL's choice of
/// algorithm and protocol, with its latency and bandwidth terms corrected per fabric
/// (docs/explanation/cost_model.md).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::cost {

enum class Algorithm : std::uint8_t {
    tree,
    ring,
    collnet_direct,
    collnet_chain,
    nvls,
    nvls_tree,
    pat
};
enum class Protocol : std::uint8_t { ll, ll128, simple };
[[nodiscard]] std::string_view name_of(Algorithm algorithm);
[[nodiscard]] std::string_view name_of(Protocol protocol);

/// How the members of a group lie in the cluster; all the model needs to know of a group.
struct GroupShape {
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t ranks_per_node = 1;  ///< most members on one node
    /// Groups of the same family that use the NICs of one node at the same time (8 data-parallel
    /// groups beside each other on a TP8 node); they share the node's NICs.
    std::int64_t groups_sharing_node = 1;
    auto operator<=>(const GroupShape&) const = default;
};

/// Shape of a group given its members and the number of ranks a node holds; the sharing count
/// is the number of groups of `family` that have members on the first member's node.
[[nodiscard]] GroupShape shape_of(const graph::Family& family, std::int64_t group,
                                  std::int64_t ranks_per_node);

struct Choice {
    Algorithm algorithm = Algorithm::ring;
    Protocol protocol = Protocol::simple;
    double nccl_time_us = 0;  ///< NCCL's own estimate, the quantity the choice minimises
    double latency_us = 0;    ///< its latency part
    double bandwidth = 0;     ///< GB/s of its size part, correction included
};

class CollectiveModel {
public:
    CollectiveModel(target::Device device, target::Cluster cluster);

    /// NCCL's choice for `bytes` (payload_bytes of the call) in a group of this shape.
    [[nodiscard]] Choice choose(graph::CollectiveKind kind, graph::DType dtype,
                                graph::ReduceOp reduce, std::int64_t bytes,
                                const GroupShape& shape) const;

    /// Predicted duration of a collective after the last member arrived.
    [[nodiscard]] graph::Cost collective(const graph::Communication& call,
                                         const GroupShape& shape) const;

    /// Predicted duration of a send/recv pair after both sides arrived.
    [[nodiscard]] graph::Cost point_to_point(std::int64_t bytes, bool same_node) const;

private:
    target::Device device_;
    target::Cluster cluster_;
};

}  // namespace prismllm::cost
