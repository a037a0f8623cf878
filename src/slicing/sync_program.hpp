// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What is left of a class's op list once everything that cannot block is dropped: calls, and
/// waits of one stream for another.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::slicing {

/// Place of one communicate op.
struct Call {
    std::uint32_t op = 0;    ///< index in the class's op list
    std::uint32_t step = 0;  ///< index in the steps of its slot
    std::uint8_t slot = 0;   ///< stream, see SyncProgram::stream_of_slot
    bool waits = true;       ///< false: an eager send, which ends at once
};

enum class ListKind : std::uint8_t { collective, send, recv };

/// Calls that match in order with the calls of one list of each peer.
struct ListKey {
    ListKind kind = ListKind::collective;
    graph::FamilyIndex family = 0;
    std::int64_t delta = 0;  ///< send, recv: peer position - own position, modulo group size
    auto operator<=>(const ListKey&) const = default;
};

/// Call `number` of list `list`.
struct Meet {
    std::uint32_t list = 0;
    std::uint32_t number = 0;
};

struct Step {
    enum class Kind : std::uint8_t {
        meet,  ///< start meets [begin, end) together; go on when all that wait have ended
        wait   ///< go on when slot `slot` has finished its first `begin` steps
    };
    Kind kind = Kind::meet;
    std::uint8_t slot = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

struct SyncProgram {
    std::int32_t rank_class = 0;
    std::vector<std::uint8_t> stream_of_slot;
    std::vector<std::vector<Step>> slots;
    std::vector<std::vector<Meet>> meets;  ///< [slot]
    std::vector<std::vector<Call>> lists;
    std::map<ListKey, std::uint32_t> list_index;

    /// -1: the class makes no such calls.
    [[nodiscard]] std::int32_t find_list(const ListKey& key) const;
    /// Keys of all lists of one kind in one family.
    [[nodiscard]] std::vector<ListKey> keys_of(ListKind kind, graph::FamilyIndex family) const;
};

/// @param group_sizes [family], the size of the class's groups; read for families it sends or
///        receives in.
[[nodiscard]] SyncProgram make_sync_program(const graph::ExecutionGraph& graph,
                                            std::int32_t rank_class,
                                            std::span<const std::int64_t> group_sizes);

/// Families in which a class sends or receives, ascending.
[[nodiscard]] std::vector<graph::FamilyIndex> pairwise_families(const graph::ExecutionGraph& graph,
                                                                const graph::RankClass& rank_class);

}  // namespace prismllm::slicing
