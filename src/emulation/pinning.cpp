// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/pinning.hpp"

#include <algorithm>

#include "prismllm/base/host_name.hpp"
#include "prismllm/placement/topology.hpp"

namespace prismllm::emulation {
namespace {

/// @collective over the processes of one node
bool same_places_allowed(const comm::Communicator& node, const placement::Topology& topology) {
    const auto sets = node.gather(topology.allowed());
    const bool differ =
        std::any_of(sets.begin(), sets.end(), [&](const auto& set) { return set != sets[0]; });
    return node.reduce_all(differ ? 0 : 1, comm::Reduction::min) == 1;
}

struct Outcome {
    std::string text;
    std::string warning;
};

/// @collective over the processes of one node
Outcome take_seat(const comm::Communicator& node, const placement::Topology& topology,
                  placement::Duty duty) {
    if (!same_places_allowed(node, topology)) {
        return {fmt::format("where the launcher put it (hardware threads {})", topology.allowed()),
                {}};
    }
    std::vector<std::int64_t> real(static_cast<std::size_t>(node.size()));
    real[static_cast<std::size_t>(node.rank())] = duty == placement::Duty::real_rank ? 1 : 0;
    node.reduce_all(real, comm::Reduction::sum);
    std::vector<placement::Duty> duties;
    for (const std::int64_t executes : real) {
        duties.push_back(executes != 0 ? placement::Duty::real_rank : placement::Duty::proxy);
    }
    const placement::Seat seat = placement::choose_seats(
        topology, duties, placement::pinning_wanted())[static_cast<std::size_t>(node.rank())];
    Outcome outcome{seat.text, placement::launcher_warning(topology, node.size())};
    if (seat.core) {
        if (const Status bound = topology.bind_to(*seat.core); !bound) {
            outcome = {"not pinned (the operating system refuses)", bound.error().message};
        }
    }
    return outcome;
}

}  // namespace

ProcessPlacement pin_processes(const comm::Communicator& comm, placement::Duty duty) {
    const auto topology = placement::Topology::live();
    const auto node = comm.split_by_node();
    const Outcome mine = take_seat(node, topology, duty);

    ProcessPlacement result;
    result.lines =
        comm.gather(fmt::format("host rank {}: {}, {}", comm.rank(), host_name(), mine.text));
    result.warnings = comm.gather(mine.warning);
    std::sort(result.warnings.begin(), result.warnings.end());
    result.warnings.erase(std::unique(result.warnings.begin(), result.warnings.end()),
                          result.warnings.end());
    std::erase(result.warnings, std::string{});
    if (comm.rank() == 0) {
        result.machine = topology.describe();
        result.machine_xml = topology.xml();
    }
    return result;
}

}  // namespace prismllm::emulation
