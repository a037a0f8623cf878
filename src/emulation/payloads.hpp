// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What virtual participants say to real ranks (docs/explanation/real_ranks.md).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "prismllm/graph/kernel.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::emulation {

/// The part of virtual members in the calls of one real rank. Values depend on the policy, the
/// seed and the calls before; never on the number of processes.
class Payloads {
public:
    Payloads(target::Payload policy, std::uint64_t seed) : policy_{policy}, seed_{seed} {}

    /// `all` holds the reduction over `real` members of a group of `size`: bring in the others.
    void reduce(graph::ReduceOp op, std::int64_t real, std::int64_t size, std::span<float> all);
    /// What one virtual member gathers, beside a real one that gathers `like`.
    void gather(std::span<const float> like, std::span<float> part);
    /// A message that this rank sends to a virtual peer; it may come back.
    void send(graph::FamilyIndex family, std::span<const float> message);
    /// A message from a virtual peer.
    void receive(graph::FamilyIndex family, std::span<float> message);

private:
    /// Random numbers of about the size of `like`'s (of 1 where it is empty or zero).
    void draw(std::span<const float> like, std::span<float> out);

    target::Payload policy_;
    std::uint64_t seed_;
    std::uint64_t draws_ = 0;                                     ///< calls that drew numbers
    std::map<graph::FamilyIndex, std::vector<float>> last_sent_;  ///< replicate only
};

}  // namespace prismllm::emulation
