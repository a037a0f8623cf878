// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "prismllm/placement/topology.hpp"

namespace prismllm::placement {
namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::vector<Seat> nobody_pinned(std::size_t processes, const std::string& why) {
    return std::vector<Seat>(processes,
                             Seat{std::nullopt, std::nullopt, "not pinned (" + why + ")"});
}

/// Cores that nobody has yet.
class FreeCores {
public:
    explicit FreeCores(const Topology& topology) : cores_{topology.allowed_core_list()} {}

    [[nodiscard]] std::size_t count() const { return cores_.size(); }
    /// NUMA nodes that had cores at first, in their order.
    [[nodiscard]] std::vector<int> nodes() const {
        std::vector<int> nodes;
        for (const Core& core : cores_) {
            nodes.push_back(core.numa);
        }
        std::ranges::sort(nodes);
        const auto rest = std::ranges::unique(nodes);
        nodes.erase(rest.begin(), rest.end());
        return nodes;
    }
    /// The first one of the node, else the first. @pre there is one
    Core take_near(int numa) {
        const auto near = std::ranges::find(cores_, numa, &Core::numa);
        return take(near == cores_.end() ? cores_.begin() : near);
    }
    /// `count` cores at even distances. @pre there are as many
    std::vector<Core> take_evenly(std::size_t count) const {
        std::vector<Core> taken;
        for (std::size_t i = 0; i < count; ++i) {
            taken.push_back(cores_[i * cores_.size() / count]);
        }
        return taken;
    }

private:
    Core take(std::vector<Core>::iterator which) {
        Core core = std::move(*which);
        cores_.erase(which);
        return core;
    }

    std::vector<Core> cores_;
};

Seat seat_on(Core core, std::optional<int> gpu) {
    std::string text =
        fmt::format("core {} (package {}, NUMA node {})", core.number, core.package, core.numa);
    if (gpu) {
        text += fmt::format(" near GPU {}", *gpu);
    }
    return {std::move(core), gpu, std::move(text)};
}

}  // namespace

Pinning pinning_wanted() {
    const char* value = std::getenv("PRISMLLM_BIND");
    return value != nullptr && std::string_view{value} == "none" ? Pinning::off : Pinning::on;
}

std::vector<Seat> choose_seats(const Topology& topology, const std::vector<Duty>& duties,
                               Pinning pinning) {
    FreeCores free{topology};
    if (pinning == Pinning::off) {
        return nobody_pinned(duties.size(), "PRISMLLM_BIND=none");
    }
    if (duties.size() == 1) {
        return nobody_pinned(1, "alone on its node");
    }
    if (duties.size() > free.count()) {
        return nobody_pinned(duties.size(), fmt::format("{} processes share {}", duties.size(),
                                                        counted(free.count(), "core", "cores")));
    }
    const std::vector<Gpu> gpus = topology.gpus();
    const std::vector<int> nodes = free.nodes();
    std::vector<Seat> seats(duties.size());
    std::size_t real = 0;
    for (std::size_t p = 0; p < duties.size(); ++p) {
        if (duties[p] == Duty::real_rank) {
            const std::optional<int> gpu =
                gpus.empty() ? std::nullopt : std::optional{gpus[real % gpus.size()].number};
            const int numa =
                gpus.empty() ? nodes[real % nodes.size()] : gpus[real % gpus.size()].numa;
            seats[p] = seat_on(free.take_near(numa), gpu);
            ++real;
        }
    }
    const std::vector<Core> others = free.take_evenly(duties.size() - real);
    std::size_t proxy = 0;
    for (std::size_t p = 0; p < duties.size(); ++p) {
        if (duties[p] == Duty::proxy) {
            seats[p] = seat_on(others[proxy++], std::nullopt);
        }
    }
    return seats;
}

std::string launcher_warning(const Topology& topology, int processes) {
    const int allowed = topology.allowed_cores();
    if (allowed == topology.cores()) {
        return {};
    }
    return fmt::format(
        "the launcher lets {} of a node use {} of {} (it has bound them). Start them with "
        "--bind-to none (mpirun) or --cpu-bind=none (srun): prismllm places its processes itself.",
        counted(static_cast<std::size_t>(processes), "process", "processes"), allowed,
        counted(static_cast<std::size_t>(topology.cores()), "core", "cores"));
}

}  // namespace prismllm::placement
