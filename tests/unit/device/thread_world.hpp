// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// All ranks of a small job in one process, a thread each: payloads travel through memory. One
/// rank computes at a time, until it waits for another: BLAS need not bear several threads.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "prismllm/device/transport.hpp"
#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::device {

class ThreadWorld {
public:
    ThreadWorld(std::vector<graph::Family> families, std::int64_t world_size);

    /// The transport of one rank; call it on the rank's thread, which waits for its turn. The rank
    /// must not compute after the transport is gone. The world outlives it.
    [[nodiscard]] std::unique_ptr<Transport> transport(std::int64_t rank);
    /// Waits end with an exception from now on: a rank has failed.
    void give_up();

private:
    class RankTransport;
    using Values = std::vector<float>;
    /// Members bring their inputs, read those of all, and leave together.
    struct Meeting {
        std::vector<Values> inputs;  ///< [position]
        std::size_t arrived = 0, left = 0;
    };
    using GroupKey = std::pair<graph::FamilyIndex, std::int32_t>;
    using PairKey = std::tuple<graph::FamilyIndex, std::int32_t, std::int64_t, std::int64_t>;
    struct Mail {
        std::map<std::size_t, Values> messages;  ///< by number
        std::size_t sent = 0, asked = 0;
    };

    std::vector<graph::Family> families_;
    std::vector<graph::Membership> members_;
    std::mutex turn_;  ///< held by the rank that computes
    std::condition_variable changed_;
    std::map<GroupKey, Meeting> meetings_;
    std::map<PairKey, Mail> mail_;
    bool given_up_ = false;
};

}  // namespace prismllm::device
