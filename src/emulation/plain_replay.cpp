// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "plain_replay.hpp"

#include <algorithm>
#include <cmath>

#include "prismllm/base/error.hpp"

namespace prismllm::emulation {

using graph::CollectiveKind;
using graph::Communication;
using graph::Op;
using graph::OpKind;

namespace {

bool is_pairwise(const Communication& call) {
    return call.kind == CollectiveKind::send || call.kind == CollectiveKind::recv;
}

}  // namespace

PlainReplay::PlainReplay(const graph::ExecutionGraph& graph,
                         const target::Emulation& settings)
    : graph_{graph}, pauses_{settings.pauses}, ranks_(static_cast<std::size_t>(graph.world_size)) {
    for (const graph::Family& family : graph.families) {
        members_.push_back(membership_of(family, graph.world_size));
    }
    const std::vector<std::int32_t> class_of = class_of_ranks(graph);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        Rank& rank = ranks_[r];
        rank.number = static_cast<std::int64_t>(r);
        rank.ops = &graph.classes[static_cast<std::size_t>(class_of[r])].ops;
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
        number_calls(rank);
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

/// Calls match by their number in issue order: collectives in the communicator, messages among
/// those of one direction between two ranks.
void PlainReplay::number_calls(Rank& rank) const {
    std::map<std::tuple<graph::FamilyIndex, bool, std::int64_t>, std::int64_t> counts;
    rank.sequence.resize(rank.ops->size());
    for (std::size_t i = 0; i < rank.ops->size(); ++i) {
        if ((*rank.ops)[i].kind != OpKind::communicate) {
            continue;
        }
        const Communication& call = graph_.communications[(*rank.ops)[i].index];
        const std::int64_t peer = is_pairwise(call) ? peer_of(rank, call) : -1;
        rank.sequence[i] = counts[{call.family, call.kind == CollectiveKind::send, peer}]++;
    }
}

std::int64_t PlainReplay::peer_of(const Rank& rank, const Communication& call) const {
    const graph::Family& family = graph_.families[call.family];
    const auto at = static_cast<std::size_t>(rank.number);
    const std::int32_t group = members_[call.family].group[at];
    const std::int64_t size = family.group_size(group);
    const std::int64_t position = members_[call.family].position[at] + call.peer_delta;
    return family.rank_at(group, (position % size + size) % size);
}

PlainReplay::Key PlainReplay::key_of(const Rank& rank, std::uint32_t op) const {
    const Communication& call = graph_.communications[(*rank.ops)[op].index];
    const std::int64_t number = rank.sequence[op];
    if (!is_pairwise(call)) {
        return {call.family, members_[call.family].group[static_cast<std::size_t>(rank.number)], -1,
                number};
    }
    const std::int64_t peer = peer_of(rank, call);
    return call.kind == CollectiveKind::send ? Key{call.family, rank.number, peer, number}
                                             : Key{call.family, peer, rank.number, number};
}

std::int64_t PlainReplay::cost_of(const Rank& rank, std::uint32_t op) const {
    const std::uint32_t index = (*rank.ops)[op].index;
    const Communication& call = graph_.communications[index];
    std::size_t shape = 0;
    if (is_pairwise(call)) {
        const bool same_node =
            peer_of(rank, call) / graph_.ranks_per_node == rank.number / graph_.ranks_per_node;
        shape = same_node ? 0 : 1;
    } else {
        const std::int32_t group =
            members_[call.family].group[static_cast<std::size_t>(rank.number)];
        shape = graph_.group_shape[call.family][static_cast<std::size_t>(group)];
    }
    return graph_.communication_costs[index][shape].duration_ps;
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
    Meeting& meeting = meetings_[key_of(rank, op)];
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
    const Meeting& meeting = meetings_.at(key_of(rank, op));
    const std::int64_t cost = cost_of(rank, op);
    if (!is_pairwise(call)) {
        const std::int32_t group =
            members_[call.family].group[static_cast<std::size_t>(rank.number)];
        return meeting.came == graph_.families[call.family].group_size(group)
                   ? meeting.latest + cost
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
