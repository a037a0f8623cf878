// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "plain_replay.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "prismllm/base/error.hpp"

namespace prismllm::emulation {

using graph::CollectiveKind;
using graph::Communication;
using graph::Op;
using graph::OpKind;

PlainReplay::PlainReplay(const graph::ExecutionGraph& graph, const target::Emulation& settings)
    : graph_{graph},
      keys_{graph},
      pauses_{settings.pauses},
      ranks_(static_cast<std::size_t>(graph.world_size)) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        Rank& rank = ranks_[r];
        rank.number = static_cast<std::int64_t>(r);
        rank.ops = &keys_.ops(rank.number);
        rank.streams.resize(graph.streams.size());
        rank.observed = std::ranges::count(settings.timeline_ranks, rank.number) > 0;
        std::size_t events = 0;
        for (std::uint32_t i = 0; i < rank.ops->size(); ++i) {
            const Op& op = (*rank.ops)[i];
            if (op.kind == OpKind::allocate || op.kind == OpKind::release) {
                continue;
            }
            rank.streams[op.stream].ops.push_back(i);
            if (op.kind == OpKind::record) {
                events = std::max<std::size_t>(events, op.instance + 1);
            }
        }
        rank.events.resize(events);
    }
}

void PlainReplay::pause(Rank& rank) const {
    for (const target::Pause& pause : pauses_) {
        if (pause.rank != rank.number || pause.iteration != iteration_) {
            continue;
        }
        std::int64_t free = 0;
        for (const Stream& stream : rank.streams) {
            free = std::max(free, stream.clock);
        }
        for (Stream& stream : rank.streams) {
            stream.clock = free + std::llround(pause.time_s * 1e12);
        }
    }
}

std::int64_t PlainReplay::cost_of(const Rank& rank, std::uint32_t op) const {
    const std::uint32_t index = (*rank.ops)[op].index;
    return graph_.communication_costs[index][keys_.shape(rank.number, op)].duration_ps;
}

void PlainReplay::iterate(const std::vector<std::vector<std::int64_t>>& kernel_ps) {
    static const std::vector<std::int64_t> none;
    meetings_.clear();
    for (Rank& rank : ranks_) {
        pause(rank);
        std::ranges::fill(rank.events, -1);
        for (Stream& stream : rank.streams) {
            stream.next = 0;
        }
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (Rank& rank : ranks_) {
            const auto& durations =
                kernel_ps.empty() ? none : kernel_ps[static_cast<std::size_t>(rank.number)];
            for (Stream& stream : rank.streams) {
                while (stream.next < stream.ops.size() && advance(rank, stream, durations)) {
                    moved = true;
                }
            }
        }
    }
    for (const Rank& rank : ranks_) {
        std::int64_t end = 0;
        for (const Stream& stream : rank.streams) {
            if (stream.next < stream.ops.size()) {
                throw SystemError{ErrorCode::job_failed,
                                  fmt::format("rank {} waits for ever at op {}", rank.number,
                                              stream.ops[stream.next])};
            }
            end = std::max(end, stream.clock);
        }
        ends_.push_back(end);
    }
    ++iteration_;
}

/// One op, or one batch of calls. False: it waits.
bool PlainReplay::advance(Rank& rank, Stream& stream, const std::vector<std::int64_t>& kernel_ps) {
    const std::uint32_t number = stream.ops[stream.next];
    const Op& op = (*rank.ops)[number];
    switch (op.kind) {
        case OpKind::kernel: {
            const std::int64_t took =
                kernel_ps.empty() ? graph_.kernel_costs[op.index].duration_ps : kernel_ps[number];
            note(rank, number, stream.clock, stream.clock + took);
            stream.clock += took;
            rank.busy_ps += op.stream == 0 ? took : 0;
            break;
        }
        case OpKind::record:
            rank.events[op.instance] = stream.clock;
            break;
        case OpKind::wait:
            if (rank.events[op.instance] < 0) {
                return false;
            }
            stream.clock = std::max(stream.clock, rank.events[op.instance]);
            break;
        default:
            return communicate(rank, stream);
    }
    ++stream.next;
    return true;
}

bool PlainReplay::communicate(Rank& rank, Stream& stream) {
    const std::uint32_t batch = (*rank.ops)[stream.ops[stream.next]].instance;
    std::size_t end = stream.next + 1;
    while (batch != 0 && end < stream.ops.size() &&
           (*rank.ops)[stream.ops[end]].kind == OpKind::communicate &&
           (*rank.ops)[stream.ops[end]].instance == batch) {
        ++end;
    }
    if (!stream.posted) {
        for (std::size_t i = stream.next; i < end; ++i) {
            post(rank, stream, stream.ops[i]);
        }
        stream.posted = true;
    }
    std::int64_t latest = 0;
    for (std::size_t i = stream.next; i < end; ++i) {
        const std::int64_t ends = end_of(rank, stream, stream.ops[i]);
        if (ends < 0) {
            return false;
        }
        latest = std::max(latest, ends);
    }
    for (std::size_t i = stream.next; i < end; ++i) {
        note(rank, stream.ops[i], stream.clock, end_of(rank, stream, stream.ops[i]));
    }
    stream.clock = latest;
    stream.posted = false;
    stream.next = end;
    return true;
}

void PlainReplay::post(const Rank& rank, const Stream& stream, std::uint32_t op) {
    Meeting& meeting = meetings_[keys_.key(rank.number, op)];
    const CollectiveKind kind = graph_.communications[(*rank.ops)[op].index].kind;
    if (kind == CollectiveKind::send) {
        meeting.send_ready = stream.clock;
    } else if (kind == CollectiveKind::recv) {
        meeting.recv_ready = stream.clock;
    } else {
        ++meeting.came;
        meeting.latest = std::max(meeting.latest, stream.clock);
    }
}

std::int64_t PlainReplay::end_of(const Rank& rank, const Stream& stream, std::uint32_t op) const {
    const Communication& call = graph_.communications[(*rank.ops)[op].index];
    const Meeting& meeting = meetings_.at(keys_.key(rank.number, op));
    const std::int64_t cost = cost_of(rank, op);
    if (!is_pairwise(call)) {
        return meeting.came == keys_.group_size(rank.number, call.family) ? meeting.latest + cost
                                                                          : -1;
    }
    const bool eager = payload_bytes(call, 1) <= graph_.eager_bytes;
    if (eager && call.kind == CollectiveKind::send) {
        return stream.clock;
    }
    if (meeting.send_ready < 0 || meeting.recv_ready < 0) {
        return eager && meeting.send_ready >= 0 ? std::max(meeting.send_ready + cost, stream.clock)
                                                : -1;
    }
    return eager ? std::max(meeting.send_ready + cost, meeting.recv_ready)
                 : std::max(meeting.send_ready, meeting.recv_ready) + cost;
}

void PlainReplay::note(const Rank& rank, std::uint32_t op, std::int64_t start, std::int64_t end) {
    if (rank.observed) {
        timeline_.push_back({rank.number, op, start, end, iteration_});
    }
}

engine::LaneResults PlainReplay::results() const {
    engine::LaneResults results;
    results.end_ps = ends_;
    results.timeline = timeline_;
    std::ranges::sort(results.timeline, {}, [](const engine::TimelineEntry& entry) {
        return std::tuple{entry.rank, entry.start_ps, entry.iteration, entry.op};
    });
    for (const Rank& rank : ranks_) {
        results.ranks.push_back(rank.number);
        const std::vector<std::int64_t> no_waits(graph_.families.size(), 0);
        results.accounts.push_back({rank.busy_ps, no_waits, no_waits, 0});
    }
    return results;
}

}  // namespace prismllm::emulation
