// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/device/transport.hpp
/// How payloads travel between the executors of real ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prismllm/graph/kernel.hpp"

namespace prismllm::device {

/// Carries calls as their rank issues them. Values are fp32, whatever the dtype of the call.
class Transport {
public:
    virtual ~Transport() = default;

    /// all_reduce, all_gather, reduce_scatter over the rank's group of call.family; returns when
    /// `out` holds the result. `in` and `out` may overlap as NCCL's in-place rules allow.
    virtual void collective(const graph::Communication& call, std::span<const float> in,
                            std::span<float> out) = 0;
    /// Start a send or recv; both spans must stay until finish() of the ticket.
    [[nodiscard]] virtual std::uint64_t start_send(const graph::Communication& call,
                                                   std::span<const float> in) = 0;
    [[nodiscard]] virtual std::uint64_t start_recv(const graph::Communication& call,
                                                   std::span<float> out) = 0;
    /// Wait for the end of what the ticket stands for. Each ticket once.
    virtual void finish(std::uint64_t ticket) = 0;

    /// This rank's place in its group of a family.
    struct Place {
        int size = 0;
        int position = 0;
    };
    /// Nothing where the rank is in none, is alone, or a member is no real rank.
    [[nodiscard]] virtual std::optional<Place> real_group(graph::FamilyIndex family) const = 0;
    /// Bytes of member 0 to all of such a group. @collective over its members
    virtual void broadcast(graph::FamilyIndex family, std::vector<std::byte>& bytes) = 0;
};

}  // namespace prismllm::device
