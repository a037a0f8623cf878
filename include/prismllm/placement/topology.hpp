// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/placement/topology.hpp
/// The cores of a machine and which of them a process gets.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"

namespace prismllm::placement {

/// A core as logs and provenance name it; numbers count from 0 in the machine's own order.
struct Core {
    int number = 0;
    int package = 0;
    int numa = 0;
    std::string pus;  ///< its hardware threads as the operating system numbers them, "3,35"
    bool operator==(const Core&) const = default;
};

/// A GPU of the machine, as hwloc finds it among the PCI devices; a virtual machine may hide them.
struct Gpu {
    int number = 0;    ///< in the order of the bus, which is that of CUDA_DEVICE_ORDER=PCI_BUS_ID
    int numa = 0;      ///< of the nearest NUMA node
    std::string name;  ///< "0000:0f:00.0"
    bool operator==(const Gpu&) const = default;
};

/// What hwloc knows of a machine. Cores that the operating system keeps from all processes of
/// the job (a container's or batch job's limit) do not exist here.
class Topology {
public:
    /// This machine; allowed() is where this process may run now. Throws SystemError when hwloc
    /// cannot look. @local
    [[nodiscard]] static Topology live();
    /// A machine that does not exist, from hwloc's words, e.g. "package:2 core:4 pu:2". @local
    [[nodiscard]] static Expected<Topology> synthetic(const std::string& description);
    /// A machine described by xml() of another one. @local
    [[nodiscard]] static Expected<Topology> from_xml(const std::string& xml);

    ~Topology();
    Topology(Topology&& other) noexcept;
    Topology& operator=(Topology&& other) noexcept;

    /// Let processes use these hardware threads only ("0-3,8"), as a launcher's binding does.
    /// @return bad_input unless the list is well-formed and names at least one of the machine.
    [[nodiscard]] Status allow_only(const std::string& pus);

    /// Cores of the machine, and those of them with an allowed hardware thread.
    [[nodiscard]] int cores() const;
    [[nodiscard]] int allowed_cores() const;
    /// The allowed hardware threads as a list, "0-3,8".
    [[nodiscard]] std::string allowed() const;

    /// Those with an allowed hardware thread, in the machine's order.
    [[nodiscard]] std::vector<Core> allowed_core_list() const;
    /// Display and 3D controllers of AMD and NVIDIA.
    [[nodiscard]] std::vector<Gpu> gpus() const;

    /// One line: "2 packages, 4 NUMA nodes, 64 cores, 128 hardware threads", GPUs where there are.
    [[nodiscard]] std::string describe() const;
    /// The whole machine in hwloc's XML, for provenance.
    [[nodiscard]] std::string xml() const;

    /// Run this process (all its threads) on one core from now on.
    /// @return system when the operating system refuses. @local
    [[nodiscard]] Status bind_to(const Core& core) const;

private:
    struct Impl;
    explicit Topology(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Where one process shall run, and why.
struct Seat {
    std::optional<Core> core;  ///< nothing: leave it to the operating system
    std::optional<int> gpu;    ///< beside which it sits; of real ranks where there are GPUs
    std::string text;          ///< "core 3 (package 0, NUMA node 0)", "not pinned (...)"
};

/// What a process does: replay many ranks, or execute one.
enum class Duty : bool { proxy, real_rank };

enum class Pinning : bool { off, on };
/// Off when the environment has PRISMLLM_BIND=none.
[[nodiscard]] Pinning pinning_wanted();

/// Seats of the processes of one machine, in their order. No core is given twice: where there are
/// fewer than processes, or a process is alone and would meet other jobs on the first core, none is
/// pinned. Real ranks choose first: the k-th sits on the NUMA node nearest to GPU k (in turn, where
/// they are more), without GPUs on NUMA node after node; where its cores are used up, on the first
/// free core. Proxies take the others at even distances, so that packages and NUMA nodes fill
/// evenly and neighbors stay near.
[[nodiscard]] std::vector<Seat> choose_seats(const Topology& topology,
                                             const std::vector<Duty>& duties, Pinning pinning);

/// What to tell the user where the launcher lets processes use a part of the machine only;
/// empty where it does not. `processes`: those of this machine.
[[nodiscard]] std::string launcher_warning(const Topology& topology, int processes);

}  // namespace prismllm::placement
