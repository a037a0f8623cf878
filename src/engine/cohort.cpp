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
    if (2 * (used_ + 1) > entries_.size()) {
        std::vector<Entry> old(2 * entries_.size());
        std::swap(old, entries_);
        used_ = live_ = 0;
        for (const Entry& entry : old) {
            if (entry.waits > 0) {
                enter(entry);
            }
        }
    }
    std::size_t i = home(entered.event);
    while (entries_[i].waits > 0) {
        i = after(i);
    }
    entries_[i] = entered;
    ++used_;
    live_ += entered.level == nullptr ? 1 : 0;
}

void LiveEvents::remove(const Entry& entry) {
    --used_;
    live_ -= entry.level == nullptr ? 1 : 0;
    // Entries behind the gap move up, unless that took them before their home.
    auto gap = static_cast<std::size_t>(&entry - entries_.data());
    for (std::size_t i = after(gap); entries_[i].waits > 0; i = after(i)) {
        const std::size_t mask = entries_.size() - 1;
        if (((i - home(entries_[i].event)) & mask) >= ((i - gap) & mask)) {
            entries_[gap] = entries_[i];
            gap = i;
        }
    }
    entries_[gap].waits = 0;
}

std::int64_t* Cohort::other_waits() {
    if (other == nullptr) {
        other = pool.take();
        std::fill_n(other, lanes, 0);
    }
    return other;
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
