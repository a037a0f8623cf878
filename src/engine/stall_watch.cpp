// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "stall_watch.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace prismllm::engine {
namespace {

// Layout of a vote: flags, then two entries a proxy, then two entries a channel.
constexpr std::size_t unfinished_at = 0;
constexpr std::size_t cancelled_at = 1;
constexpr std::size_t first_proxy = 2;
constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::min();

std::size_t first_channel(int proxies) {
    return first_proxy + 2 * static_cast<std::size_t>(proxies);
}

}  // namespace

void StallWatch::set_up() {
    std::vector<int> all(static_cast<std::size_t>(exchange_.size()));
    std::iota(all.begin(), all.end(), 0);
    channel_ = exchange_.open_channel(all);
    vote_.resize(first_channel(exchange_.size()) + 2 * flights_.channels().size());
}

void StallWatch::begin_iteration() {
    previous_.clear();
}

void StallWatch::fill(const Standing& standing) {
    std::fill(vote_.begin(), vote_.end(), absent);
    vote_[unfinished_at] = standing.unfinished ? 1 : 0;
    vote_[cancelled_at] = standing.cancelled ? 1 : 0;
    const std::size_t mine = first_proxy + 2 * static_cast<std::size_t>(exchange_.self());
    vote_[mine] = standing.steps + flights_.progress();
    vote_[mine + 1] = flights_.balance();
    std::size_t at = first_channel(exchange_.size());
    for (const Flights::ChannelCount& channel : flights_.channels()) {
        if (channel.member) {
            vote_[at] = -channel.started;
            vote_[at + 1] = -channel.completed;
        }
        at += 2;
    }
}

StallWatch::Verdict StallWatch::vote(const Standing& standing) {
    if (!voting_) {
        fill(standing);
        ticket_ = exchange_.start_max(channel_, vote_);
        voting_ = true;
    }
    if (!exchange_.test(ticket_)) {
        return Verdict::open;
    }
    voting_ = false;
    const Verdict verdict = judge();
    previous_ = vote_;
    return verdict;
}

StallWatch::Verdict StallWatch::judge() const {
    if (vote_[cancelled_at] > 0) {
        return Verdict::cancelled;
    }
    if (anything_under_way()) {
        return Verdict::open;
    }
    if (vote_[unfinished_at] <= 0) {
        return Verdict::done;
    }
    return vote_ == previous_ ? Verdict::stalled : Verdict::open;
}

bool StallWatch::anything_under_way() const {
    std::int64_t vectors = 0;
    for (std::size_t p = first_proxy; p < first_channel(exchange_.size()); p += 2) {
        vectors += vote_[p + 1];
    }
    for (std::size_t c = first_channel(exchange_.size()); c < vote_.size(); c += 2) {
        const std::int64_t least_started = -vote_[c];
        const std::int64_t least_completed = -vote_[c + 1];
        if (least_started > least_completed) {
            return true;
        }
    }
    return vectors != 0;
}

}  // namespace prismllm::engine
