// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "channels.hpp"

#include <algorithm>

#include "prismllm/graph/hash.hpp"
#include "prismllm/graph/interner.hpp"

namespace prismllm::slicing {
namespace {

using graph::Family;
using graph::FamilyIndex;

/// Adds the channels of one family after another; equal ones are entered once.
class Collector {
public:
    Collector(const SyncJob& job, const Partition& partition)
        : job_{job}, partition_{partition}, stamp_(partition.size()) {}

    void add_family(FamilyIndex f) {
        prepare(f);
        if (!collective_ && !pairwise_) {
            return;
        }
        const Family& family = job_.graph.families[f];
        for (std::int64_t g = 0; g < family.group_count(); ++g) {
            const std::vector<std::int64_t> ranks = family.group_ranks(g);
            units_.clear();
            for (const std::int64_t rank : ranks) {
                units_.push_back(partition_.unit_of_rank[static_cast<std::size_t>(rank)]);
            }
            if (pairwise_) {
                add_pairs(f, g);
            }
            if (collective_) {
                add_set(f, g);
            }
        }
    }

    std::vector<Channel> take() && { return std::move(channels_); }

private:
    /// Lists of one program in the family at hand.
    struct Lists {
        std::int32_t collective = -1;
        std::vector<ListKey> sends, recvs;
    };

    void prepare(FamilyIndex f) {
        lists_.clear();
        index_ = {};
        collective_ = pairwise_ = false;
        for (const SyncProgram& program : job_.programs) {
            lists_.push_back({program.find_list({ListKind::collective, f, 0}),
                              program.keys_of(ListKind::send, f),
                              program.keys_of(ListKind::recv, f)});
            collective_ |= lists_.back().collective >= 0;
            pairwise_ |= !lists_.back().sends.empty() || !lists_.back().recvs.empty();
        }
    }

    void add_pairs(FamilyIndex f, std::int64_t group) {
        const auto n = static_cast<std::int64_t>(units_.size());
        for (std::int64_t p = 0; p < n; ++p) {
            const std::uint32_t unit = units_[static_cast<std::size_t>(p)];
            const Lists& lists = lists_[partition_.program_of_unit[unit]];
            for (const ListKey& key : lists.sends) {
                add_pair(f, group, p, key.delta);
            }
            for (const ListKey& key : lists.recvs) {
                add_pair(f, group, (p + key.delta) % n, (n - key.delta) % n);
            }
        }
    }

    void add_pair(FamilyIndex f, std::int64_t group, std::int64_t position, std::int64_t delta) {
        const auto n = static_cast<std::int64_t>(units_.size());
        const std::uint32_t sender = units_[static_cast<std::size_t>(position)];
        const std::uint32_t receiver = units_[static_cast<std::size_t>((position + delta) % n)];
        const std::uint64_t hash =
            graph::hash_step(graph::hash_step(sender, receiver), static_cast<std::uint64_t>(delta));
        const auto next = static_cast<std::uint32_t>(channels_.size());
        const std::uint32_t found = index_.find_or_enter(hash, next, [&](std::uint32_t candidate) {
            const Channel& c = channels_[candidate];
            return c.pairwise && c.delta == delta && c.parties[0].unit == sender &&
                   c.parties[1].unit == receiver;
        });
        if (found != next) {
            return;
        }
        const std::int32_t send =
            job_.program_of(sender, partition_).find_list({ListKind::send, f, delta});
        const std::int32_t recv =
            job_.program_of(receiver, partition_).find_list({ListKind::recv, f, (n - delta) % n});
        channels_.push_back({f, true, group, position, delta, {{sender, send}, {receiver, recv}}});
    }

    void add_set(FamilyIndex f, std::int64_t group) {
        ++round_;
        set_.clear();
        bool calls = false;
        for (const std::uint32_t unit : units_) {
            if (stamp_[unit] != round_) {
                stamp_[unit] = round_;
                set_.push_back(unit);
                calls |= lists_[partition_.program_of_unit[unit]].collective >= 0;
            }
        }
        if (!calls) {
            return;
        }
        std::sort(set_.begin(), set_.end());
        std::uint64_t hash = set_.size();
        for (const std::uint32_t unit : set_) {
            hash = graph::hash_step(hash, unit);
        }
        const auto next = static_cast<std::uint32_t>(channels_.size());
        const std::uint32_t found = index_.find_or_enter(hash, next, [&](std::uint32_t candidate) {
            const Channel& c = channels_[candidate];
            return !c.pairwise &&
                   std::equal(c.parties.begin(), c.parties.end(), set_.begin(), set_.end(),
                              [](const Party& a, std::uint32_t b) { return a.unit == b; });
        });
        if (found != next) {
            return;
        }
        Channel channel{f, false, group, 0, 0, {}};
        for (const std::uint32_t unit : set_) {
            channel.parties.push_back({unit, lists_[partition_.program_of_unit[unit]].collective});
        }
        channels_.push_back(std::move(channel));
    }

    const SyncJob& job_;
    const Partition& partition_;
    std::vector<Channel> channels_;
    // Of the family at hand:
    std::vector<Lists> lists_;  ///< [program]
    bool collective_ = false, pairwise_ = false;
    graph::RowIndex index_;  ///< of channels_
    // Of the group at hand:
    std::vector<std::uint32_t> units_;  ///< [position]
    std::vector<std::uint32_t> set_;
    std::vector<std::uint64_t> stamp_;  ///< [unit], round in which it was seen last
    std::uint64_t round_ = 0;
};

}  // namespace

std::vector<Channel> make_channels(const SyncJob& job, const Partition& partition) {
    Collector collector{job, partition};
    for (std::size_t f = 0; f < job.graph.families.size(); ++f) {
        collector.add_family(static_cast<FamilyIndex>(f));
    }
    return std::move(collector).take();
}

ChannelIndex::ChannelIndex(const SyncJob& job, const Partition& partition,
                           std::span<const Channel> channels) {
    std::size_t rows = 0;
    for (std::uint32_t unit = 0; unit < partition.size(); ++unit) {
        row_of_unit_.push_back(rows);
        rows += job.program_of(unit, partition).lists.size();
    }
    const auto for_each = [&](auto&& visit) {
        for (std::uint32_t c = 0; c < channels.size(); ++c) {
            for (const Party& party : channels[c].parties) {
                if (party.list >= 0) {
                    visit(row_of_unit_[party.unit] + static_cast<std::size_t>(party.list), c);
                }
            }
        }
    };
    begin_.resize(rows + 1);
    for_each([&](std::size_t row, std::uint32_t) { ++begin_[row + 1]; });
    for (std::size_t row = 0; row < rows; ++row) {
        begin_[row + 1] += begin_[row];
    }
    entries_.resize(begin_.back());
    std::vector<std::size_t> next{begin_.begin(), begin_.end() - 1};
    for_each([&](std::size_t row, std::uint32_t c) { entries_[next[row]++] = c; });
}

}  // namespace prismllm::slicing
