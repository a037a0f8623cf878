// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "matching.hpp"

#include <algorithm>
#include <optional>

#include "prismllm/graph/describe.hpp"

namespace prismllm::slicing {
namespace {

using graph::Communication;

/// One channel looked at through its example group.
class Comparison {
public:
    Comparison(const SyncJob& job, const Channel& channel)
        : job_{job},
          channel_{channel},
          family_{job.graph.families[channel.family]},
          communicator_{graph::communicator_name(family_, channel.group)} {}

    [[nodiscard]] std::optional<Defect> compare() const {
        return channel_.pairwise ? compare_pair() : compare_members();
    }

private:
    [[nodiscard]] const SyncProgram& program(const Party& party) const {
        return job_.program_of(party.unit, job_.units);
    }
    [[nodiscard]] std::size_t count(const Party& party) const {
        return party.list < 0 ? 0
                              : program(party).lists[static_cast<std::size_t>(party.list)].size();
    }
    [[nodiscard]] std::uint32_t op(const Party& party, std::size_t k) const {
        return program(party).lists[static_cast<std::size_t>(party.list)][k].op;
    }
    [[nodiscard]] const Communication& call(const Party& party, std::size_t k) const {
        const auto rank_class = static_cast<std::size_t>(program(party).rank_class);
        return job_.graph.communications[job_.graph.classes[rank_class].ops[op(party, k)].index];
    }
    [[nodiscard]] std::string words(const Party& party, std::size_t k) const {
        return graph::describe_op(job_.graph, program(party).rank_class, op(party, k));
    }

    [[nodiscard]] std::optional<Defect> compare_members() const {
        const Party& first = channel_.parties.front();
        const std::size_t n = count(first);
        std::size_t differs = n;  // first call some member does not share; n: none below n
        bool is_defect = false;
        for (const Party& party : std::span{channel_.parties}.subspan(1)) {
            const std::size_t both = std::min(differs, count(party));
            std::size_t k = 0;
            while (k < both && graph::is_same_call(call(first, k), call(party, k))) {
                ++k;
            }
            is_defect |= k < differs || count(party) > n;
            differs = std::min(differs, k);
        }
        if (!is_defect) {
            return std::nullopt;
        }
        return report_members(differs);
    }

    /// Members of the example group that issue the same call number `k` as `like`, or none.
    [[nodiscard]] std::vector<std::int64_t> members_like(const Party& like, std::size_t k) const {
        std::vector<std::int64_t> ranks;
        for (const std::int64_t rank : family_.group_ranks(channel_.group)) {
            const std::uint32_t unit = job_.units.unit_of_rank[static_cast<std::size_t>(rank)];
            const auto party = std::find_if(channel_.parties.begin(), channel_.parties.end(),
                                            [&](const Party& p) { return p.unit == unit; });
            if (is_like(*party, like, k)) {
                ranks.push_back(rank);
            }
        }
        return ranks;
    }
    [[nodiscard]] bool is_like(const Party& a, const Party& b, std::size_t k) const {
        const bool has_a = count(a) > k;
        const bool has_b = count(b) > k;
        return has_a == has_b && (!has_a || graph::is_same_call(call(a, k), call(b, k)));
    }

    [[nodiscard]] Defect report_members(std::size_t k) const {
        // The accused are the smaller camp; those who issue nothing are always accused.
        struct Camp {
            const Party* party;
            std::vector<std::int64_t> ranks;
        };
        std::vector<Camp> camps;
        for (const Party& party : channel_.parties) {
            const bool known = std::any_of(camps.begin(), camps.end(), [&](const Camp& camp) {
                return is_like(*camp.party, party, k);
            });
            if (!known) {
                camps.push_back({&party, members_like(party, k)});
            }
        }
        std::stable_sort(camps.begin(), camps.end(), [&](const Camp& a, const Camp& b) {
            const bool has_a = count(*a.party) > k;
            const bool has_b = count(*b.party) > k;
            return has_a != has_b ? has_b : a.ranks.size() < b.ranks.size();
        });
        const Camp& accused = camps.front();
        const Camp& others = camps.back();
        Defect defect;
        defect.communicator = communicator_;
        defect.sequence = static_cast<std::int64_t>(k);
        defect.ranks = accused.ranks;
        defect.ranks.insert(defect.ranks.end(), others.ranks.begin(), others.ranks.end());
        if (count(*accused.party) <= k) {
            defect.kind = DefectKind::missing_collective;
            defect.text = fmt::format(
                "{} never issue{} call number {} of communicator {} (it has {}), while {} wait{} "
                "in it: {}. Make every member issue the call",
                graph::name_ranks(accused.ranks), accused.ranks.size() == 1 ? "s" : "", k,
                communicator_, count(*accused.party), graph::name_ranks(others.ranks),
                others.ranks.size() == 1 ? "s" : "", words(*others.party, k));
            return defect;
        }
        defect.kind = DefectKind::mismatched_collective;
        defect.text = fmt::format(
            "call number {} of communicator {} differs: {} issues {}, but {} issues {}. Make all "
            "members issue the same calls in the same order",
            k, communicator_, graph::name_ranks(accused.ranks), words(*accused.party, k),
            graph::name_ranks(others.ranks), words(*others.party, k));
        return defect;
    }

    [[nodiscard]] std::optional<Defect> compare_pair() const {
        const Party& sender = channel_.parties[0];
        const Party& receiver = channel_.parties[1];
        const std::size_t sends = count(sender);
        const std::size_t recvs = count(receiver);
        for (std::size_t k = 0; k < std::min(sends, recvs); ++k) {
            const Communication& s = call(sender, k);
            const Communication& r = call(receiver, k);
            if (s.elements != r.elements || s.dtype != r.dtype) {
                return report_pair(DefectKind::size_mismatch, k);
            }
        }
        if (sends > recvs) {
            return report_pair(DefectKind::unmatched_send, recvs);
        }
        if (recvs > sends) {
            return report_pair(DefectKind::unmatched_recv, sends);
        }
        return std::nullopt;
    }

    [[nodiscard]] Defect report_pair(DefectKind kind, std::size_t k) const {
        const Party& sender = channel_.parties[0];
        const Party& receiver = channel_.parties[1];
        const std::int64_t n = family_.group_size(channel_.group);
        const std::int64_t from = family_.rank_at(channel_.group, channel_.position);
        const std::int64_t to =
            family_.rank_at(channel_.group, (channel_.position + channel_.delta) % n);
        Defect defect{kind, {from, to}, communicator_, static_cast<std::int64_t>(k), {}};
        switch (kind) {
            case DefectKind::unmatched_send:
                defect.text = fmt::format(
                    "send number {} of rank {} to rank {} in communicator {} has no receive: {}, "
                    "but rank {} receives only {} from it. Add the receive or drop the send",
                    k, from, to, communicator_, words(sender, k), to, count(receiver));
                break;
            case DefectKind::unmatched_recv:
                defect.ranks = {to, from};
                defect.text = fmt::format(
                    "receive number {} of rank {} from rank {} in communicator {} has no send: {}, "
                    "but rank {} sends only {} to it. Add the send or drop the receive",
                    k, to, from, communicator_, words(receiver, k), from, count(sender));
                break;
            default:
                defect.text = fmt::format(
                    "message number {} from rank {} to rank {} in communicator {} differs in size: "
                    "rank {} issues {}, but rank {} issues {}. Make both sides agree",
                    k, from, to, communicator_, from, words(sender, k), to, words(receiver, k));
                break;
        }
        return defect;
    }

    const SyncJob& job_;
    const Channel& channel_;
    const graph::Family& family_;
    std::string communicator_;
};

}  // namespace

std::vector<Defect> find_mismatches(const SyncJob& job, std::span<const Channel> channels) {
    std::vector<Defect> defects;
    for (const Channel& channel : channels) {
        if (std::optional<Defect> defect = Comparison{job, channel}.compare()) {
            defects.push_back(std::move(*defect));
        }
    }
    return defects;
}

}  // namespace prismllm::slicing
