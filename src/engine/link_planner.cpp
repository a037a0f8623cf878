// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "transfers.hpp"

namespace prismllm::engine {

/// Walks the send ports of all ranks in rank order. Two proxies that share links meet them in
/// the same order, which gives the tags.
class LinkPlanner {
public:
    LinkPlanner(Transfers& transfers, const Roster& roster, std::span<Cohort* const> local)
        : transfers_{transfers}, roster_{roster}, local_{local}, covered_(local.size()) {}

    void run() {
        for (std::size_t rank = 0; rank < roster_.cohort_of.size(); ++rank) {
            const CallTable& table = roster_.table_of(roster_.cohort_of[rank]);
            for (std::size_t p = 0; p < table.ports.size(); ++p) {
                if (table.ports[p].send) {
                    join(static_cast<std::int64_t>(rank), p);
                }
            }
        }
        for (Transfers::Link& link : transfers_.links_) {
            settle(link.sender);
            settle(link.receiver);
        }
        for (std::size_t c = 0; c < local_.size(); ++c) {
            if (local_[c] != nullptr) {
                settle(*local_[c], covered_[c]);
            }
        }
    }

private:
    using Key = std::tuple<std::int32_t, std::size_t, std::int32_t>;  ///< sender, port, receiver

    void join(std::int64_t rank, std::size_t port_number) {
        const std::int32_t from = roster_.cohort_of[static_cast<std::size_t>(rank)];
        const Port& port = roster_.table_of(from).ports[port_number];
        const graph::Family& family = roster_.graph.families[port.family];
        const graph::Membership& membership = roster_.membership(port.family);
        const std::int32_t group = membership.group[static_cast<std::size_t>(rank)];
        if (group < 0) {
            return;
        }
        const std::int64_t size = family.group_size(group);
        const std::int64_t position =
            (membership.position[static_cast<std::size_t>(rank)] + port.delta) % size;
        const std::int64_t peer = family.rank_at(group, position);
        const std::int32_t to = roster_.cohort_of[static_cast<std::size_t>(peer)];
        const int recv_port =
            roster_.table_of(to).port_of(port.family, (size - port.delta) % size, false);
        if (recv_port < 0 || (local_at(from) == nullptr && local_at(to) == nullptr)) {
            return;
        }
        const Place sender{from, port_number, lane_of(rank)};
        const Place receiver{to, static_cast<std::size_t>(recv_port), lane_of(peer)};
        Transfers::Link& link = link_between(sender, receiver);
        ++link.pairs;
        const std::int64_t per_node = roster_.graph.ranks_per_node;
        const std::uint16_t shape = rank / per_node == peer / per_node ? 0 : 1;
        enter(link.sender, sender, shape);
        enter(link.receiver, receiver, shape);
    }

    struct Place {
        std::int32_t cohort = 0;
        std::size_t port = 0;
        std::uint32_t lane = 0;
    };

    [[nodiscard]] Cohort* local_at(std::int32_t cohort) const {
        return local_[static_cast<std::size_t>(cohort)];
    }
    [[nodiscard]] std::uint32_t lane_of(std::int64_t rank) const {
        return static_cast<std::uint32_t>(roster_.lane_of[static_cast<std::size_t>(rank)]);
    }

    Transfers::Link& link_between(const Place& sender, const Place& receiver) {
        const Key key{sender.cohort, sender.port, receiver.cohort};
        if (key == last_key_) {
            return transfers_.links_[last_];
        }
        const auto [at, is_new] = number_.try_emplace(key, transfers_.links_.size());
        last_key_ = key;
        last_ = at->second;
        if (is_new) {
            make_link(sender, receiver);
        }
        return transfers_.links_[last_];
    }

    void make_link(const Place& sender, const Place& receiver) {
        Transfers::Link& link = transfers_.links_.emplace_back();
        const auto open = [&](Transfers::End& end, const Place& place) {
            const Port& port = roster_.table_of(place.cohort).ports[place.port];
            end.calls = port.calls;
            end.rendezvous_calls = port.rendezvous_calls;
            end.cohort = local_at(place.cohort);
            if (end.cohort != nullptr) {
                end.cohort->ports[place.port].links.push_back(
                    static_cast<int>(transfers_.links_.size()) - 1);
            }
        };
        open(link.sender, sender);
        open(link.receiver, receiver);
        if (link.sender.cohort == nullptr || link.receiver.cohort == nullptr) {
            const std::int32_t remote =
                link.sender.cohort == nullptr ? sender.cohort : receiver.cohort;
            link.proxy = roster_.cohorts[static_cast<std::size_t>(remote)].proxy;
            link.tag = tags_[{link.sender.cohort != nullptr, link.proxy}]++;
        }
    }

    void enter(Transfers::End& end, const Place& place, std::uint16_t shape) {
        if (end.cohort == nullptr) {
            return;
        }
        end.lanes.push_back(place.lane);
        PortSite& site = end.cohort->ports[place.port];
        site.shapes.lanes.resize(end.cohort->lanes);
        site.shapes.lanes[place.lane] = shape;
        std::vector<std::size_t>& covered = covered_[static_cast<std::size_t>(place.cohort)];
        covered.resize(end.cohort->ports.size());
        ++covered[place.port];
    }

    /// Pair i is lane i: no table is needed.
    static void settle(Transfers::End& end) {
        bool identity = end.cohort != nullptr && end.lanes.size() == end.cohort->lanes;
        for (std::size_t i = 0; identity && i < end.lanes.size(); ++i) {
            identity = end.lanes[i] == i;
        }
        if (identity) {
            end.lanes = {};
        }
        end.lanes.shrink_to_fit();
    }

    static void settle(Cohort& cohort, const std::vector<std::size_t>& covered) {
        for (std::size_t p = 0; p < cohort.ports.size(); ++p) {
            const std::size_t lanes = p < covered.size() ? covered[p] : 0;
            cohort.ports[p].reachable = lanes == cohort.lanes;
            cohort.ports[p].shapes.settle();
        }
    }

    Transfers& transfers_;
    const Roster& roster_;
    std::span<Cohort* const> local_;
    std::vector<std::vector<std::size_t>> covered_;  ///< [cohort][port], lanes with a peer
    std::map<Key, std::size_t> number_;
    std::map<std::pair<bool, std::int32_t>, int> tags_;  ///< (we send, other proxy): links so far
    Key last_key_{-1, 0, -1};
    std::size_t last_ = 0;
};

void Transfers::set_up(const Roster& roster, std::span<Cohort* const> local) {
    LinkPlanner{*this, roster, local}.run();
}

}  // namespace prismllm::engine
