// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/emulation/pinning.hpp
/// Every process of the job on a core of its own, where there are enough.
#pragma once

#include <string>
#include <vector>

#include "prismllm/comm/communicator.hpp"
#include "prismllm/placement/topology.hpp"

namespace prismllm::emulation {

/// Where the processes went; filled on process 0, empty elsewhere.
struct ProcessPlacement {
    /// One a process: "host rank 1: node17, core 5 (package 1, NUMA node 1)".
    std::vector<std::string> lines;
    std::vector<std::string> warnings;  ///< full sentences, each once
    std::string machine;                ///< one line on process 0's node
    std::string machine_xml;            ///< hwloc's description of process 0's node
};

/// Pin the processes of every node to its cores (placement/topology.hpp, choose_seats). Processes
/// stay where they are when cores are fewer, when the launcher has given each its own place, or
/// when the environment has PRISMLLM_BIND=none.
/// @param duty of this process
/// @collective
[[nodiscard]] ProcessPlacement pin_processes(const comm::Communicator& comm, placement::Duty duty);

}  // namespace prismllm::emulation
