// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "recording_pace.hpp"

#include <algorithm>
#include <utility>

#include "call_keys.hpp"

namespace prismllm::emulation {
namespace {

using graph::OpKind;

std::int64_t now_ps() {
    return picoseconds(Pace::Clock::now().time_since_epoch());
}

}  // namespace

RecordingPace::RecordingPace(const graph::ExecutionGraph& graph, const std::vector<graph::Op>& ops)
    : graph_{graph},
      times_{std::vector<std::int64_t>(ops.size()), std::vector<std::int64_t>(ops.size()),
             std::vector<std::int64_t>(ops.size())},
      free_ps_(graph.streams.size()),
      under_way_(graph.streams.size()) {}

void RecordingPace::begin_step() {
    std::ranges::fill(free_ps_, now_ps());
    events_.clear();
}

void RecordingPace::end_step() {
    began_ps_ = now_ps();
    std::ranges::for_each(under_way_, [this](auto& transfers) { end(transfers, began_ps_); });
    for (auto& [number, mark] : events_) {
        end(mark.transfers, began_ps_);
    }
}

void RecordingPace::end(std::vector<std::size_t>& transfers, std::int64_t now) {
    for (const std::size_t op : std::exchange(transfers, {})) {
        times_.looked_ps[op] = began_ps_;
        times_.end_ps[op] = now;
    }
}

void RecordingPace::before(std::size_t op, const graph::Op& listed) {
    if (listed.kind == OpKind::kernel || listed.kind == OpKind::communicate) {
        times_.ready_ps[op] = free_ps_[listed.stream];
    }
    began_ps_ = now_ps();
}

std::int64_t RecordingPace::behind(std::size_t op, const graph::Op& listed) {
    std::int64_t& free = free_ps_[listed.stream];
    switch (listed.kind) {
        case OpKind::kernel:
            times_.end_ps[op] = free = now_ps();
            return free - times_.ready_ps[op];
        case OpKind::communicate:
            if (is_pairwise(graph_.communications[listed.index])) {
                under_way_[listed.stream].push_back(op);
            } else {
                times_.end_ps[op] = free = now_ps();
            }
            return 0;
        case OpKind::record:
            events_[listed.instance] = {free, std::exchange(under_way_[listed.stream], {}),
                                        listed.stream};
            return 0;
        case OpKind::wait:
            wait(listed);
            return 0;
        default:
            return 0;
    }
}

void RecordingPace::wait(const graph::Op& listed) {
    Mark& mark = events_[listed.instance];
    if (!mark.transfers.empty()) {
        mark.free_ps = now_ps();
        end(mark.transfers, mark.free_ps);
        free_ps_[mark.stream] = std::max(free_ps_[mark.stream], mark.free_ps);
    }
    free_ps_[listed.stream] = std::max(free_ps_[listed.stream], mark.free_ps);
}

}  // namespace prismllm::emulation
