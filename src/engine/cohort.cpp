// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "cohort.hpp"

#include <algorithm>
#include <utility>

namespace prismllm::engine {

std::int64_t* VectorPool::take() {
    if (free_.empty()) {
        const std::size_t bytes = lanes_ * sizeof(std::int64_t);
        owned_.emplace_back(static_cast<std::int64_t*>(::operator new[](bytes, Free::alignment)));
        return owned_.back().get();
    }
    std::int64_t* vector = free_.back();
    free_.pop_back();
    return vector;
}

void LiveEvents::enter(const Entry& entered) {
    while (entries_[entered.event & (entries_.size() - 1)].waits > 0) {
        std::vector<Entry> larger(2 * entries_.size());
        for (const Entry& entry : entries_) {
            if (entry.waits > 0) {
                larger[entry.event & (larger.size() - 1)] = entry;
            }
        }
        entries_ = std::move(larger);
    }
    entries_[entered.event & (entries_.size() - 1)] = entered;
    live_ += entered.level == nullptr ? 1 : 0;
}

bool Cohort::is_observed(std::size_t lane) const {
    return std::binary_search(observed.begin(), observed.end(), lane);
}

std::size_t Cohort::state_bytes() const {
    std::size_t bytes = pool.made() * ((lanes * sizeof(std::int64_t) + 63) / 64 * 64);
    bytes += level_pool.made() * (lanes / least_level * sizeof(std::int64_t) + 63) / 64 * 64;
    bytes += events.bytes() + actors.size() * sizeof(Actor);
    bytes += ranks.capacity() * sizeof(std::int32_t);
    bytes +=
        (factor.capacity() + key_first.capacity() + key_second.capacity()) * sizeof(std::uint32_t);
    for (const FamilySite& site : families) {
        bytes += site.groups.capacity() * sizeof(std::uint32_t);
        bytes += site.shapes.lanes.capacity() * sizeof(std::uint16_t);
    }
    for (const PortSite& site : ports) {
        bytes += site.shapes.lanes.capacity() * sizeof(std::uint16_t);
    }
    return bytes;
}

}  // namespace prismllm::engine
