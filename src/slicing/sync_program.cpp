// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "sync_program.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace prismllm::slicing {

using graph::CollectiveKind;
using graph::Communication;
using graph::Op;
using graph::OpKind;

namespace {

ListKind kind_of(const Communication& call) {
    switch (call.kind) {
        case CollectiveKind::send:
            return ListKind::send;
        case CollectiveKind::recv:
            return ListKind::recv;
        default:
            return ListKind::collective;
    }
}

class Builder {
public:
    Builder(const graph::ExecutionGraph& graph, std::int32_t rank_class,
            std::span<const std::int64_t> group_sizes)
        : graph_{graph},
          ops_{graph.classes[static_cast<std::size_t>(rank_class)].ops},
          group_sizes_{group_sizes},
          list_of_call_(graph.communications.size(), unknown),
          waits_of_call_(graph.communications.size()),
          events_(ops_.size()) {
        program_.rank_class = rank_class;
        slot_of_stream_.fill(no_slot);
    }

    SyncProgram build() && {
        for (std::size_t i = 0; i < ops_.size(); ++i) {
            const Op& op = ops_[i];
            switch (op.kind) {
                case OpKind::kernel:
                    if (slot_of_stream_[op.stream] != no_slot) {
                        open_batch_[slot_of_stream_[op.stream]] = 0;
                    }
                    break;
                case OpKind::communicate:
                    add_call(static_cast<std::uint32_t>(i), op);
                    break;
                case OpKind::record:
                    add_record(op);
                    break;
                case OpKind::wait:
                    add_wait(op);
                    break;
                case OpKind::allocate:
                case OpKind::release:
                    break;  // neither blocks nor parts a batch
            }
        }
        return std::move(program_);
    }

private:
    static constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint8_t no_slot = std::numeric_limits<std::uint8_t>::max();
    struct EventPlace {
        std::uint8_t slot = 0;
        std::uint32_t steps = 0;  ///< steps of that slot before the record
    };

    std::uint8_t slot_for(std::uint8_t stream) {
        if (slot_of_stream_[stream] == no_slot) {
            slot_of_stream_[stream] = static_cast<std::uint8_t>(program_.slots.size());
            program_.stream_of_slot.push_back(stream);
            program_.slots.emplace_back();
            program_.meets.emplace_back();
            open_batch_.push_back(0);
            reached_.emplace_back();
        }
        return slot_of_stream_[stream];
    }

    std::uint32_t list_for(std::uint32_t index) {
        if (list_of_call_[index] != unknown) {
            return list_of_call_[index];
        }
        const Communication& call = graph_.communications[index];
        ListKey key{kind_of(call), call.family, 0};
        if (key.kind != ListKind::collective) {
            const std::int64_t n = group_sizes_[call.family];
            key.delta = (call.peer_delta % n + n) % n;
        }
        waits_of_call_[index] =
            key.kind != ListKind::send || graph::payload_bytes(call, 1) > graph_.eager_bytes;
        const auto [it, is_new] =
            program_.list_index.emplace(key, static_cast<std::uint32_t>(program_.lists.size()));
        if (is_new) {
            program_.lists.emplace_back();
        }
        return list_of_call_[index] = it->second;
    }

    void add_call(std::uint32_t i, const Op& op) {
        const std::uint8_t slot = slot_for(op.stream);
        std::vector<Step>& steps = program_.slots[slot];
        const auto meet = static_cast<std::uint32_t>(program_.meets[slot].size());
        const bool joins = op.instance != 0 && open_batch_[slot] == op.instance;
        const std::uint32_t list = list_for(op.index);
        std::vector<Call>& calls = program_.lists[list];
        if (joins) {
            steps.back().end = meet + 1;
        } else {
            steps.push_back({Step::Kind::meet, slot, meet, meet + 1});
            open_batch_[slot] = op.instance;
        }
        program_.meets[slot].push_back({list, static_cast<std::uint32_t>(calls.size())});
        calls.push_back(
            {i, static_cast<std::uint32_t>(steps.size() - 1), slot, waits_of_call_[op.index]});
    }

    void add_record(const Op& op) {
        const std::uint8_t slot = slot_for(op.stream);
        open_batch_[slot] = 0;
        events_[op.instance] = {slot, static_cast<std::uint32_t>(program_.slots[slot].size())};
    }

    void add_wait(const Op& op) {
        const std::uint8_t slot = slot_for(op.stream);
        const EventPlace event = events_[op.instance];
        open_batch_[slot] = 0;
        std::vector<std::uint32_t>& reached = reached_[slot];
        reached.resize(program_.slots.size());
        // A wait for less than an earlier wait of this stream, or for itself, never blocks.
        if (event.slot == slot || event.steps <= reached[event.slot]) {
            return;
        }
        reached[event.slot] = event.steps;
        program_.slots[slot].push_back({Step::Kind::wait, event.slot, event.steps, 0});
    }

    const graph::ExecutionGraph& graph_;
    const std::vector<Op>& ops_;
    std::span<const std::int64_t> group_sizes_;
    SyncProgram program_;
    std::array<std::uint8_t, 256> slot_of_stream_{};
    std::vector<std::uint32_t> open_batch_;            ///< [slot], 0: none
    std::vector<std::vector<std::uint32_t>> reached_;  ///< [slot][slot waited for]: steps
    std::vector<std::uint32_t> list_of_call_;
    std::vector<bool> waits_of_call_;
    std::vector<EventPlace> events_;
};

}  // namespace

std::int32_t SyncProgram::find_list(const ListKey& key) const {
    const auto it = list_index.find(key);
    return it == list_index.end() ? -1 : static_cast<std::int32_t>(it->second);
}

std::vector<ListKey> SyncProgram::keys_of(ListKind kind, graph::FamilyIndex family) const {
    std::vector<ListKey> keys;
    for (auto it = list_index.lower_bound({kind, family, 0});
         it != list_index.end() && it->first.kind == kind && it->first.family == family; ++it) {
        keys.push_back(it->first);
    }
    return keys;
}

SyncProgram make_sync_program(const graph::ExecutionGraph& graph, std::int32_t rank_class,
                              std::span<const std::int64_t> group_sizes) {
    return Builder{graph, rank_class, group_sizes}.build();
}

std::vector<graph::FamilyIndex> pairwise_families(const graph::ExecutionGraph& graph,
                                                  const graph::RankClass& rank_class) {
    std::vector<bool> used(graph.families.size());
    for (const Op& op : rank_class.ops) {
        if (op.kind == OpKind::communicate) {
            const Communication& call = graph.communications[op.index];
            if (kind_of(call) != ListKind::collective) {
                used[call.family] = true;
            }
        }
    }
    std::vector<graph::FamilyIndex> families;
    for (std::size_t f = 0; f < used.size(); ++f) {
        if (used[f]) {
            families.push_back(static_cast<graph::FamilyIndex>(f));
        }
    }
    return families;
}

}  // namespace prismllm::slicing
