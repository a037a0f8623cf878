// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "transfers.hpp"

#include <algorithm>

namespace prismllm::engine {
namespace {

template <class List>
auto find_sequence(List& list, std::int64_t sequence) {
    return std::find_if(list.begin(), list.end(),
                        [&](const auto& entry) { return entry.sequence == sequence; });
}

}  // namespace

std::int64_t Transfers::sequence_of(const Actor& actor, const CallOp& call) const {
    return iteration_ * actor.cohort->table->ports[call.place].calls + call.sequence;
}

void Transfers::post(Actor& actor, const CallOp& call) {
    const PortSite& site = actor.cohort->ports[call.place];
    if (!site.reachable) {
        ++actor.pending;  // never ends: the stall report names it
        return;
    }
    for (const int link : site.links) {
        post_on(links_[static_cast<std::size_t>(link)], actor, call);
    }
}

void Transfers::post_on(Link& link, Actor& actor, const CallOp& call) {
    const bool sends = call.kind == CallKind::send;
    End& mine = sends ? link.sender : link.receiver;
    End& theirs = sends ? link.receiver : link.sender;
    const End::Posted me{sequence_of(actor, call), &actor, &call};
    if (theirs.cohort == nullptr && (sends || !call.eager)) {
        depart(link, mine, actor, me.sequence);
    }
    const auto peer = find_sequence(theirs.posted, me.sequence);
    if (theirs.cohort != nullptr && peer != theirs.posted.end()) {
        const End::Posted other = *peer;
        theirs.posted.erase(peer);
        ++actor.pending;
        match(link, sends ? me : other, sends ? other : me);
        calls_.end_part(*other.actor);
        return calls_.end_part(actor);
    }
    if (sends && call.eager) {
        end_at_once(link, actor, call);
        if (theirs.cohort != nullptr) {
            theirs.came.push_back({me.sequence, ready_times(link, mine, actor)});
            hold(link);
        }
        return;
    }
    ++actor.pending;
    const auto came = find_sequence(mine.came, me.sequence);
    if (came == mine.came.end()) {
        mine.posted.push_back(me);
        return;
    }
    land(link, mine, me, came->ready);
    held_ -= link.pairs * sizeof(std::int64_t);
    mine.came.erase(came);
    calls_.end_part(actor);
}

/// An eager send ends when it is posted; only a timeline has something to note.
void Transfers::end_at_once(const Link& link, Actor& actor, const CallOp& call) {
    if (actor.cohort->observed.empty()) {
        return;
    }
    for (std::size_t i = 0; i < link.pairs; ++i) {
        const std::size_t lane = link.sender.lane(i);
        calls_.land_lane(actor, call, lane, actor.clock[lane]);
    }
}

struct Transfers::Pair {
    Actor& s;
    Actor& r;
    const CallOp& send;
    const CallOp& recv;
    LaneCost send_cost, recv_cost;

    Pair(const CostTable& costs, const End::Posted& sender, const End::Posted& receiver)
        : s{*sender.actor},
          r{*receiver.actor},
          send{*sender.call},
          recv{*receiver.call},
          send_cost{costs, send.communication, s.cohort->ports[send.place].shapes},
          recv_cost{costs, recv.communication, r.cohort->ports[recv.place].shapes} {}
};

void Transfers::match(const Link& link, const End::Posted& send, const End::Posted& recv) {
    const Pair pair{costs_, send, recv};
    if (is_plain(link, pair)) {
        return match_whole(link, pair);
    }
    for (std::size_t i = 0; i < link.pairs; ++i) {
        const std::size_t from = link.sender.lane(i);
        const std::size_t to = link.receiver.lane(i);
        const std::int64_t ready_s = pair.s.clock[from];
        const std::int64_t ready_r = pair.r.clock[to];
        const std::int64_t both = std::max(ready_s, ready_r);
        const std::int64_t cost_r = pair.recv_cost.of(to);
        calls_.land_lane(pair.s, pair.send, from,
                         pair.send.eager ? ready_s : both + pair.send_cost.of(from));
        calls_.land_lane(pair.r, pair.recv, to,
                         pair.recv.eager ? std::max(ready_s + cost_r, ready_r) : both + cost_r);
    }
}

/// The common case: pair i joins lane i with lane i, one cost for all, nobody looks on.
bool Transfers::is_plain(const Link& link, const Pair& pair) {
    return link.sender.lanes.empty() && link.receiver.lanes.empty() &&
           pair.send_cost.is_uniform() && pair.recv_cost.is_uniform() &&
           pair.s.cohort->observed.empty() && pair.r.cohort->observed.empty() && !pair.send.eager &&
           !pair.recv.eager && &pair.s != &pair.r;
}

/// As vector instructions. @pre is_plain
void Transfers::match_whole(const Link& link, const Pair& pair) {
    Actor& s = pair.s;
    Actor& r = pair.r;
    const std::int64_t cost_s = pair.send_cost.uniform();
    const std::int64_t cost_r = pair.recv_cost.uniform();
    if (s.ends == nullptr && r.ends == nullptr) {
        return lanes::meet(s.clock, r.clock, link.pairs, cost_s, cost_r);
    }
    // What is kept apart is written first: the other overwrites its ready times.
    if (s.ends != nullptr) {
        lanes::raise_to_pair(s.ends, s.clock, r.clock, link.pairs, cost_s);
        lanes::raise_to_pair(r.landing(), r.clock, s.clock, link.pairs, cost_r);
    } else {
        lanes::raise_to_pair(r.ends, r.clock, s.clock, link.pairs, cost_r);
        lanes::raise_to_pair(s.clock, s.clock, r.clock, link.pairs, cost_s);
    }
}

void Transfers::land(const Link& link, const End& end, const End::Posted& posted,
                     const std::vector<std::int64_t>& peer_ready) {
    Actor& actor = *posted.actor;
    const CallOp& call = *posted.call;
    const LaneCost cost{costs_, call.communication, actor.cohort->ports[call.place].shapes};
    for (std::size_t i = 0; i < link.pairs; ++i) {
        const std::size_t lane = end.lane(i);
        const std::int64_t ready = actor.clock[lane];
        calls_.land_lane(actor, call, lane,
                         call.eager ? std::max(peer_ready[i] + cost.of(lane), ready)
                                    : std::max(peer_ready[i], ready) + cost.of(lane));
    }
}

std::vector<std::int64_t> Transfers::ready_times(const Link& link, const End& end,
                                                 const Actor& actor) const {
    std::vector<std::int64_t> ready(link.pairs);
    for (std::size_t i = 0; i < link.pairs; ++i) {
        ready[i] = actor.clock[end.lane(i)];
    }
    return ready;
}

/// Send the ready times to the other proxy; the number of the call goes with them.
void Transfers::depart(Link& link, const End& end, const Actor& actor, std::int64_t sequence) {
    std::vector<std::int64_t> values = ready_times(link, end, actor);
    values.push_back(sequence);
    const int direction = &end == &link.sender ? 0 : 1;
    flights_.send(link.proxy, 2 * link.tag + direction, std::move(values));
}

void Transfers::await(Link& link, End& end) {
    const int direction = &end == &link.sender ? 1 : 0;
    flights_.receive(link.proxy, 2 * link.tag + direction, link.pairs + 1,
                     [this, &link, &end](std::vector<std::int64_t> values) {
                         arrive(link, end, std::move(values));
                     });
}

void Transfers::arrive(Link& link, End& end, std::vector<std::int64_t> values) {
    if (--end.awaited > 0) {
        await(link, end);
    }
    const std::int64_t sequence = values.back();
    const auto posted = find_sequence(end.posted, sequence);
    if (posted == end.posted.end()) {
        end.came.push_back({sequence, std::move(values)});
        return hold(link);
    }
    const End::Posted me = *posted;
    end.posted.erase(posted);
    land(link, end, me, values);
    calls_.end_part(*me.actor);
}

void Transfers::hold(const Link& link) {
    held_ += link.pairs * sizeof(std::int64_t);
    peak_held_ = std::max(peak_held_, held_);
}

void Transfers::begin_iteration(std::int64_t iteration) {
    iteration_ = iteration;
    for (Link& link : links_) {
        if (link.proxy < 0) {
            continue;
        }
        const bool sends = link.sender.cohort != nullptr;
        End& end = sends ? link.sender : link.receiver;
        const std::int64_t coming = sends ? link.receiver.rendezvous_calls : link.sender.calls;
        const bool idle = end.awaited == 0;
        end.awaited += coming;
        if (idle && coming > 0) {
            await(link, end);
        }
    }
}

Transfers::Missing Transfers::missing_at(const Actor& actor, const CallOp& call) const {
    Missing missing;
    for (const int number : actor.cohort->ports[call.place].links) {
        const Link& link = links_[static_cast<std::size_t>(number)];
        const bool sends = call.kind == CallKind::send;
        const End& mine = sends ? link.sender : link.receiver;
        const End& theirs = sends ? link.receiver : link.sender;
        if (find_sequence(mine.posted, sequence_of(actor, call)) == mine.posted.end()) {
            continue;
        }
        if (theirs.cohort != nullptr) {
            missing.cohorts.push_back(theirs.cohort);
        } else {
            missing.remote = true;
        }
    }
    return missing;
}

std::size_t Transfers::state_bytes() const {
    std::size_t bytes = peak_held_;
    for (const Link& link : links_) {
        bytes +=
            (link.sender.lanes.capacity() + link.receiver.lanes.capacity()) * sizeof(std::uint32_t);
    }
    return bytes;
}

}  // namespace prismllm::engine
