// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "call_table.hpp"

#include <algorithm>
#include <cstddef>

namespace prismllm::engine {
namespace {

template <class Calls>
void merge(Calls& calls, const CommunicationUse& use) {
    if (calls.calls == 0) {
        calls.stream = use.stream;
    }
    calls.ordered = calls.ordered || use.several_streams || calls.stream != use.stream;
    calls.calls += use.calls;
}

std::int64_t canonical(std::int64_t delta, std::int64_t size) {
    return size > 0 ? (delta % size + size) % size : delta;
}

}  // namespace

std::vector<CommunicationUse> uses_in(const graph::ExecutionGraph& graph,
                                      const graph::RankClass& rank_class) {
    std::vector<CommunicationUse> uses;
    std::vector<std::uint32_t> place(graph.communications.size(), 0);
    for (const graph::Op& op : rank_class.ops) {
        if (op.kind != graph::OpKind::communicate) {
            continue;
        }
        std::uint32_t& at = place[op.index];
        if (at == 0) {
            uses.push_back({op.index, 0, op.stream, false});
            at = static_cast<std::uint32_t>(uses.size());
        }
        CommunicationUse& use = uses[at - 1];
        ++use.calls;
        use.several_streams = use.several_streams || use.stream != op.stream;
    }
    return uses;
}

int CallTable::port_of(graph::FamilyIndex family, std::int64_t delta, bool send) const {
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& port) {
        return port.family == family && port.delta == delta && port.send == send;
    });
    return found == ports.end() ? -1 : static_cast<int>(found - ports.begin());
}

CallTable make_call_table(const graph::ExecutionGraph& graph, const CostTable& costs,
                          std::span<const CommunicationUse> uses,
                          std::span<const std::int64_t> group_size) {
    CallTable table;
    table.place.assign(graph.communications.size(), CallTable::none);
    for (const CommunicationUse& use : uses) {
        const graph::Communication& call = graph.communications[use.communication];
        if (is_pairwise(call.kind)) {
            const std::int64_t delta = canonical(call.peer_delta, group_size[call.family]);
            const bool send = call.kind == graph::CollectiveKind::send;
            int at = table.port_of(call.family, delta, send);
            if (at < 0) {
                at = static_cast<int>(table.ports.size());
                table.ports.push_back({call.family, delta, send, 0, 0, 0, false});
            }
            Port& port = table.ports[static_cast<std::size_t>(at)];
            merge(port, use);
            port.rendezvous_calls += costs.is_eager(use.communication) ? 0 : use.calls;
            table.place[use.communication] = static_cast<std::uint16_t>(at);
            continue;
        }
        auto found =
            std::find_if(table.families.begin(), table.families.end(),
                         [&](const FamilyCalls& calls) { return calls.family == call.family; });
        if (found == table.families.end()) {
            table.families.push_back({call.family, 0, 0, false});
            found = table.families.end() - 1;
        }
        merge(*found, use);
        table.place[use.communication] = static_cast<std::uint16_t>(found - table.families.begin());
    }
    return table;
}

}  // namespace prismllm::engine
