// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "roles.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "prismllm/base/counted.hpp"
#include "prismllm/placement/assign.hpp"

namespace prismllm::emulation {

bool RealRanks::contains(std::int64_t rank) const {
    return std::ranges::binary_search(ranks, rank);
}

RealRanks all_real(const comm::Communicator& world) {
    RealRanks real{world.size(), std::vector<std::int64_t>(static_cast<std::size_t>(world.size())),
                   world.rank()};
    std::iota(real.ranks.begin(), real.ranks.end(), std::int64_t{0});
    return real;
}

Expected<Roles> assign_roles(const graph::ExecutionGraph& graph, int processes, int self,
                             std::vector<std::int64_t> real) {
    std::ranges::sort(real);
    const auto executing = static_cast<int>(real.size());
    const bool any_virtual = static_cast<std::int64_t>(real.size()) < graph.world_size;
    const int proxies = processes - executing;
    if (proxies < (any_virtual ? 1 : 0)) {
        return fail(ErrorCode::resources,
                    "emulation.real_ranks names {}, and {} run (each real rank "
                    "takes one{}). Start it with mpirun -np {} or more.",
                    counted(executing, "rank"), counted(processes, "process"),
                    any_virtual ? ", virtual ones at least one more" : "",
                    executing + (any_virtual ? 1 : 0));
    }
    if (proxies > 0 && !any_virtual) {
        return fail(ErrorCode::resources,
                    "emulation.real_ranks names every rank of the job, and {} run (nothing is "
                    "left for {} of them). Start it with mpirun -np {}.",
                    counted(processes, "process"), proxies, executing);
    }
    Roles roles;
    roles.owner = any_virtual
                      ? placement::assign_owners(graph, proxies)
                      : std::vector<std::int32_t>(static_cast<std::size_t>(graph.world_size));
    for (int i = 0; i < executing; ++i) {
        const std::int64_t rank = real[static_cast<std::size_t>(i)];
        roles.owner[static_cast<std::size_t>(rank)] = proxies + i;
        if (self == proxies + i) {
            roles.real.own = rank;
        }
    }
    roles.real.world_size = graph.world_size;
    roles.real.ranks = std::move(real);
    return roles;
}

}  // namespace prismllm::emulation
