// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Who meets whom: one channel for each distinct set of units that share a communicator, and for
/// each distinct pair of units that exchange messages at one distance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partition.hpp"

namespace prismllm::slicing {

/// One unit in a channel and the list whose calls meet there; -1: it has no such list.
struct Party {
    std::uint32_t unit = 0;
    std::int32_t list = -1;
};

struct Channel {
    graph::FamilyIndex family = 0;
    bool pairwise = false;      ///< parties are the sender and the receiver
    std::int64_t group = 0;     ///< an example: the first group found
    std::int64_t position = 0;  ///< pairwise: the sender's in the example
    std::int64_t delta = 0;     ///< pairwise: receiver's position - sender's, modulo the size
    std::vector<Party> parties;
};

[[nodiscard]] std::vector<Channel> make_channels(const SyncJob& job, const Partition& partition);

/// Channels of every list of every unit.
class ChannelIndex {
public:
    ChannelIndex(const SyncJob& job, const Partition& partition, std::span<const Channel> channels);
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t unit, std::uint32_t list) const {
        const std::size_t row = row_of_unit_[unit] + list;
        return {entries_.data() + begin_[row], begin_[row + 1] - begin_[row]};
    }

private:
    std::vector<std::size_t> row_of_unit_;
    std::vector<std::size_t> begin_;
    std::vector<std::uint32_t> entries_;
};

}  // namespace prismllm::slicing
