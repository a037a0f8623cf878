// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "cycle.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "prismllm/graph/describe.hpp"

namespace prismllm::slicing {
namespace {

using graph::Membership;

/// A stream of a rank that stands still.
struct Node {
    std::int64_t rank = 0;
    std::uint8_t slot = 0;
    auto operator<=>(const Node&) const = default;
};

/// Why a node stands still: it waits for `next`, in a call of a communicator or for an event.
struct Hold {
    Node node, next;
    bool in_call = false;
    graph::FamilyIndex family = 0;
    std::int64_t group = 0;
    std::uint32_t number = 0;   ///< of the call in its list
    std::uint32_t op = 0;       ///< of the node's rank
    std::uint32_t peer_op = 0;  ///< of the next node's rank: the call that does not start
};

class Detective {
public:
    Detective(const SyncJob& job, const Partition& partition, const Progress& progress)
        : job_{job}, partition_{partition}, progress_{progress} {}

    std::vector<Defect> run() {
        std::vector<Defect> defects;
        visited_.resize(partition_.size());
        for (std::uint32_t unit = 0; unit < partition_.size(); ++unit) {
            const std::size_t slots = job_.program_of(unit, partition_).slots.size();
            for (std::size_t slot = 0; slot < slots; ++slot) {
                const Node start{partition_.first_rank[unit], static_cast<std::uint8_t>(slot)};
                if (std::vector<Hold> cycle = walk(start); !cycle.empty()) {
                    defects.push_back(report(cycle));
                }
            }
        }
        return defects;
    }

private:
    [[nodiscard]] std::uint32_t unit_of(std::int64_t rank) const {
        return partition_.unit_of_rank[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] const SyncProgram& program_at(std::int64_t rank) const {
        return job_.program_of(unit_of(rank), partition_);
    }
    /// Streams of equal ranks count as one, so that a cycle and its copies are told once.
    bool visit(const Node& node) {
        std::vector<bool>& row = visited_[unit_of(node.rank)];
        row.resize(program_at(node.rank).slots.size());
        const bool is_new = !row[node.slot];
        row[node.slot] = true;
        return is_new;
    }

    /// Follow who waits for whom. Every node that stands still waits for one that does, so the
    /// walk ends in a cycle, or where an earlier walk has been.
    std::vector<Hold> walk(Node node) {
        std::vector<Hold> path;
        std::map<Node, std::size_t> place;
        std::set<std::pair<std::uint32_t, std::uint8_t>> own;  // visited by this walk
        while (progress_.state_of(unit_of(node.rank), node.slot) != Standstill::finished) {
            const auto [seen, is_new] = place.emplace(node, path.size());
            if (!is_new) {
                path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(seen->second));
                return path;
            }
            const std::pair alike{unit_of(node.rank), node.slot};
            if (!visit(node) && !own.contains(alike)) {
                return {};
            }
            own.insert(alike);
            const std::optional<Hold> hold = hold_of(node);
            PRISMLLM_ASSERT(hold.has_value(), "what stands still waits for something");
            path.push_back(*hold);
            node = hold->next;
        }
        return {};
    }

    [[nodiscard]] std::optional<Hold> hold_of(const Node& node) {
        const std::uint32_t unit = unit_of(node.rank);
        const Step& step = progress_.step_of(unit, node.slot);
        if (step.kind == Step::Kind::wait) {
            Hold hold;
            hold.node = node;
            hold.next = {node.rank, step.slot};
            return hold;
        }
        const SyncProgram& program = program_at(node.rank);
        for (std::uint32_t m = step.begin; m < step.end; ++m) {
            const Meet& meet = program.meets[node.slot][m];
            if (!program.lists[meet.list][meet.number].waits) {
                continue;
            }
            if (std::optional<Hold> hold = missing_peer(node, meet)) {
                return hold;
            }
        }
        return std::nullopt;
    }

    /// The first member that has not started the call its peers are in.
    [[nodiscard]] std::optional<Hold> missing_peer(const Node& node, const Meet& meet) {
        const SyncProgram& program = program_at(node.rank);
        const auto key =
            std::find_if(program.list_index.begin(), program.list_index.end(), [&](const auto& e) {
                return e.second == meet.list;
            })->first;
        const graph::Family& family = job_.graph.families[key.family];
        const Membership& membership = membership_in(key.family);
        const auto rank = static_cast<std::size_t>(node.rank);
        const std::int64_t group = membership.group[rank];
        const std::int64_t n = family.group_size(group);
        std::int64_t begin = 0;
        std::int64_t end = n;
        ListKey wanted = key;
        if (key.kind != ListKind::collective) {
            begin = (membership.position[rank] + key.delta) % n;
            end = begin + 1;
            wanted.kind = key.kind == ListKind::send ? ListKind::recv : ListKind::send;
            wanted.delta = (n - key.delta) % n;
        }
        for (std::int64_t p = begin; p < end; ++p) {
            const std::int64_t peer = family.rank_at(group, p);
            const SyncProgram& other = program_at(peer);
            const Call& call =
                other.lists[static_cast<std::size_t>(other.find_list(wanted))][meet.number];
            if (!progress_.has_started(unit_of(peer), call)) {
                return Hold{node,
                            {peer, call.slot},
                            true,
                            key.family,
                            group,
                            meet.number,
                            program.lists[meet.list][meet.number].op,
                            call.op};
            }
        }
        return std::nullopt;
    }

    const Membership& membership_in(graph::FamilyIndex f) {
        memberships_.resize(job_.graph.families.size());
        if (memberships_[f].group.empty()) {
            memberships_[f] = graph::membership_of(job_.graph.families[f], job_.graph.world_size);
        }
        return memberships_[f];
    }

    [[nodiscard]] std::string words(const Hold& hold) const {
        const SyncProgram& program = program_at(hold.node.rank);
        const std::vector<std::string>& streams = job_.graph.streams;
        if (!hold.in_call) {
            return fmt::format("stream '{}' of rank {} waits for an event of its stream '{}'",
                               streams[program.stream_of_slot[hold.node.slot]], hold.node.rank,
                               streams[program.stream_of_slot[hold.next.slot]]);
        }
        return fmt::format(
            "rank {} waits in call number {} of communicator {}, {}, for rank {}, which does not "
            "reach {}",
            hold.node.rank, hold.number,
            graph::communicator_name(job_.graph.families[hold.family], hold.group),
            graph::describe_op(job_.graph, program.rank_class, hold.op), hold.next.rank,
            graph::describe_op(job_.graph, program_at(hold.next.rank).rank_class, hold.peer_op));
    }

    /// The cycle told from its lowest rank on.
    [[nodiscard]] Defect report(std::vector<Hold>& cycle) const {
        const auto lowest =
            std::min_element(cycle.begin(), cycle.end(), [](const Hold& a, const Hold& b) {
                return std::pair{!a.in_call, a.node.rank} < std::pair{!b.in_call, b.node.rank};
            });
        std::rotate(cycle.begin(), lowest, cycle.end());
        Defect defect;
        defect.kind = DefectKind::cyclic_wait;
        constexpr std::size_t most_told = 12;
        std::set<std::int64_t> named;
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            if (named.insert(cycle[i].node.rank).second) {
                defect.ranks.push_back(cycle[i].node.rank);
            }
            if (i < most_told) {
                defect.text += fmt::format("{}{}", i == 0 ? "" : "; ", words(cycle[i]));
            }
        }
        if (cycle.size() > most_told) {
            defect.text += fmt::format("; and so on over {} more waits", cycle.size() - most_told);
        }
        const Hold& first = cycle.front();
        if (first.in_call) {
            defect.communicator =
                graph::communicator_name(job_.graph.families[first.family], first.group);
            defect.sequence = first.number;
        }
        defect.text = fmt::format(
            "{} {}: {}. Change the order of the calls, or start sends together with receives",
            graph::name_ranks(defect.ranks),
            defect.ranks.size() == 1 ? "waits for itself" : "wait for each other", defect.text);
        return defect;
    }

    const SyncJob& job_;
    const Partition& partition_;
    const Progress& progress_;
    std::vector<std::vector<bool>> visited_;  ///< [unit][slot]
    std::vector<Membership> memberships_;     ///< [family], made when asked for
};

}  // namespace

std::vector<Defect> find_cycles(const SyncJob& job, const Partition& partition,
                                const Progress& progress) {
    return Detective{job, partition, progress}.run();
}

}  // namespace prismllm::slicing
