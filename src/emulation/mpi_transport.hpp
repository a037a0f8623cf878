// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Payloads of real ranks over MPI: rank r of the job is process r.
#pragma once

#include <map>
#include <vector>

#include "prismllm/comm/communicator.hpp"
#include "prismllm/device/transport.hpp"
#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::emulation {

class MpiTransport final : public device::Transport {
public:
    /// A communicator for every family, of the group that this process is in.
    /// @collective over world
    MpiTransport(const comm::Communicator& world, const std::vector<graph::Family>& families);

    void collective(const graph::Communication& call, std::span<const float> in,
                    std::span<float> out) override;
    [[nodiscard]] std::uint64_t start_send(const graph::Communication& call,
                                           std::span<const float> in) override;
    [[nodiscard]] std::uint64_t start_recv(const graph::Communication& call,
                                           std::span<float> out) override;
    void finish(std::uint64_t ticket) override;

private:
    struct Transfer {
        graph::FamilyIndex family = 0;
        comm::Request request;
    };
    /// @throws SystemError (internal) where this process is in no group of the family.
    [[nodiscard]] const comm::Communicator& group(graph::FamilyIndex family) const;
    [[nodiscard]] int peer(const graph::Communication& call) const;

    std::vector<std::optional<comm::Communicator>> groups_;  ///< [family]
    std::map<std::uint64_t, Transfer> under_way_;
    std::uint64_t next_ = 0;
};

}  // namespace prismllm::emulation
