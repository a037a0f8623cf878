// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "stall_report.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace prismllm::engine {
namespace {

constexpr std::size_t most_lines = 10;
constexpr std::size_t most_ranks = 4;  ///< named a line

class Reporter {
public:
    explicit Reporter(const StalledJob& job) : job_{job} {}

    std::string run() {
        for (const ActorState state : {ActorState::calls, ActorState::turn, ActorState::event}) {
            for (const auto& cohort : job_.cohorts) {
                for (const Actor& actor : cohort->actors) {
                    if (actor.state == state) {
                        add(describe(actor));
                    }
                }
            }
        }
        std::string text = fmt::format(
            "the job hangs in iteration {} (every unfinished stream waits for another one):\n",
            job_.iteration);
        for (const std::string& line : lines_) {
            text += "  " + line + "\n";
        }
        if (blocked_ == 0) {
            text += "  no stream of this process is blocked; other processes report theirs\n";
        } else if (blocked_ > lines_.size()) {
            text += fmt::format("  and {} more streams\n", blocked_ - lines_.size());
        }
        return text + "Compare the order of these calls on the ranks named.";
    }

private:
    void add(std::string line) {
        ++blocked_;
        if (lines_.size() < most_lines) {
            lines_.push_back(std::move(line));
        }
    }

    [[nodiscard]] std::string who(const Actor& actor, std::size_t lane) const {
        const Cohort& cohort = *actor.cohort;
        std::string text = fmt::format("rank {}", cohort.ranks[lane]);
        if (cohort.lanes > 1) {
            text += fmt::format(" (and {} more of class '{}')", cohort.lanes - 1,
                                class_of(cohort).name);
        }
        return text + fmt::format(", stream '{}'", job_.graph.streams[actor.program->stream]);
    }

    [[nodiscard]] const graph::RankClass& class_of(const Cohort& cohort) const {
        return job_.graph.classes[static_cast<std::size_t>(cohort.program->rank_class)];
    }

    [[nodiscard]] std::string describe(const Actor& actor) const {
        const Instruction& at = actor.current();
        if (actor.state == ActorState::event) {
            const Actor& recorder = actor.cohort->actors[at.recorder];
            return fmt::format("{}: op {} waits for event {} of stream '{}'", who(actor, 0), at.op,
                               at.index, job_.graph.streams[recorder.program->stream]);
        }
        const std::uint32_t posted = std::max(actor.posted, std::uint32_t{1});
        for (std::uint32_t i = 0; i < posted; ++i) {
            const CallOp& call = actor.program->calls[at.index + i];
            const std::string text = actor.state == ActorState::turn ? describe_turn(actor)
                                     : call.kind == CallKind::collective
                                         ? describe_collective(actor, call)
                                         : describe_pair(actor, call);
            if (!text.empty()) {
                return text;
            }
        }
        return fmt::format("{}: op {} waits for a call to end", who(actor, 0), at.op);
    }

    [[nodiscard]] std::string describe_turn(const Actor& actor) const {
        const CallOp& call = actor.program->calls[actor.current().index + actor.posted];
        const graph::Communication& c = job_.graph.communications[call.communication];
        return fmt::format(
            "{}: {} number {} in {} (op {}) waits until earlier calls of that "
            "communicator on other streams have started",
            who(actor, 0), graph::name_of(c.kind), call.sequence,
            communicator(c.family, actor.cohort->ranks.front()), call.op);
    }

    [[nodiscard]] std::string describe_collective(const Actor& actor, const CallOp& call) const {
        const graph::Communication& c = job_.graph.communications[call.communication];
        const graph::Family& family = job_.graph.families[c.family];
        const graph::Membership members = graph::membership_of(family, job_.graph.world_size);
        const std::vector<const Cohort*> missing = job_.meetings.missing_at(actor, call);
        for (std::size_t lane = 0; lane < actor.cohort->lanes; ++lane) {
            const auto rank = static_cast<std::size_t>(actor.cohort->ranks[lane]);
            const std::int32_t group = members.group[rank];
            const std::string absent = group < 0
                                           ? "it is in no group of this family"
                                           : absent_members(family.group_ranks(group), missing);
            if (!absent.empty()) {
                return fmt::format("{}: {} number {} in {} (op {}): {}", who(actor, lane),
                                   graph::name_of(c.kind), call.sequence,
                                   communicator(c.family, actor.cohort->ranks[lane]), call.op,
                                   absent);
            }
        }
        return {};
    }

    [[nodiscard]] std::string absent_members(const std::vector<std::int64_t>& members,
                                             const std::vector<const Cohort*>& missing) const {
        std::vector<std::int64_t> absent, elsewhere;
        for (const std::int64_t rank : members) {
            const Cohort* home = cohort_of(rank);
            if (home == nullptr) {
                elsewhere.push_back(rank);
            } else if (std::find(missing.begin(), missing.end(), home) != missing.end()) {
                absent.push_back(rank);
            }
        }
        if (!absent.empty()) {
            return named(absent) + " missing";
        }
        return elsewhere.empty() ? "" : named(elsewhere) + " (or peers on other processes) missing";
    }

    [[nodiscard]] std::string describe_pair(const Actor& actor, const CallOp& call) const {
        const graph::Communication& c = job_.graph.communications[call.communication];
        const graph::Family& family = job_.graph.families[c.family];
        const graph::Membership members = graph::membership_of(family, job_.graph.world_size);
        const Transfers::Missing missing = job_.transfers.missing_at(actor, call);
        const bool reachable = actor.cohort->ports[call.place].reachable;
        for (std::size_t lane = 0; lane < actor.cohort->lanes; ++lane) {
            const std::int64_t rank = actor.cohort->ranks[lane];
            const std::int64_t peer = peer_of(family, members, rank, c.peer_delta);
            const Cohort* home = peer < 0 ? nullptr : cohort_of(peer);
            const bool late = home == nullptr
                                  ? missing.remote
                                  : std::find(missing.cohorts.begin(), missing.cohorts.end(),
                                              home) != missing.cohorts.end();
            if (late || !reachable) {
                const bool sends = call.kind == CallKind::send;
                const std::string direction =
                    peer < 0 ? "no peer" : fmt::format("{} rank {}", sends ? "to" : "from", peer);
                return fmt::format("{}: {} number {} {} in {} (op {}): {}", who(actor, lane),
                                   graph::name_of(c.kind), call.sequence, direction,
                                   communicator(c.family, rank), call.op,
                                   reachable ? fmt::format("the {} of rank {} missing",
                                                           sends ? "recv" : "send", peer)
                                             : "a rank of this class has no matching peer");
            }
        }
        return {};
    }

    static std::int64_t peer_of(const graph::Family& family, const graph::Membership& members,
                                std::int64_t rank, std::int64_t delta) {
        const std::int32_t group = members.group[static_cast<std::size_t>(rank)];
        if (group < 0) {
            return -1;
        }
        const std::int64_t size = family.group_size(group);
        const std::int64_t position = members.position[static_cast<std::size_t>(rank)] + delta;
        return family.rank_at(group, (position % size + size) % size);
    }

    [[nodiscard]] std::string communicator(graph::FamilyIndex family, std::int64_t rank) const {
        const graph::Membership members =
            graph::membership_of(job_.graph.families[family], job_.graph.world_size);
        return fmt::format("{}[{}]", job_.graph.families[family].name,
                           members.group[static_cast<std::size_t>(rank)]);
    }

    [[nodiscard]] const Cohort* cohort_of(std::int64_t rank) const {
        for (const auto& cohort : job_.cohorts) {
            if (std::binary_search(cohort->ranks.begin(), cohort->ranks.end(), rank)) {
                return cohort.get();
            }
        }
        return nullptr;
    }

    static std::string named(const std::vector<std::int64_t>& ranks) {
        const std::size_t shown = std::min(ranks.size(), most_ranks);
        std::string text = fmt::format(
            "rank{} {}", ranks.size() > 1 ? "s" : "",
            fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
        if (shown < ranks.size()) {
            text += fmt::format(" and {} more", ranks.size() - shown);
        }
        return text + (ranks.size() > 1 ? " are" : " is");
    }

    const StalledJob& job_;
    std::vector<std::string> lines_;
    std::size_t blocked_ = 0;
};

}  // namespace

std::string stall_report(const StalledJob& job) {
    return Reporter{job}.run();
}

}  // namespace prismllm::engine
