// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Payloads of real ranks: over MPI among each other, made up where the peer is virtual.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "prismllm/comm/communicator.hpp"
#include "prismllm/device/transport.hpp"
#include "prismllm/graph/execution_graph.hpp"

#include "payloads.hpp"
#include "roles.hpp"

namespace prismllm::emulation {

class MpiTransport final : public device::Transport {
public:
    /// A communicator of the real members of the group that this process's rank is in, for every
    /// family. Processes without a real rank take part in the making only. @collective over world
    MpiTransport(const comm::Communicator& world, const std::vector<graph::Family>& families,
                 const RealRanks& real, Payloads payloads);
    /// The only real rank: all its peers are virtual. @local
    MpiTransport(const std::vector<graph::Family>& families, std::int64_t world_size,
                 std::int64_t rank, Payloads payloads);

    void collective(const graph::Communication& call, std::span<const float> in,
                    std::span<float> out) override;
    [[nodiscard]] std::uint64_t start_send(const graph::Communication& call,
                                           std::span<const float> in) override;
    [[nodiscard]] std::uint64_t start_recv(const graph::Communication& call,
                                           std::span<float> out) override;
    void finish(std::uint64_t ticket) override;
    [[nodiscard]] std::optional<Place> real_group(graph::FamilyIndex family) const override;
    void broadcast(graph::FamilyIndex family, std::vector<std::byte>& bytes) override;

private:
    /// The group of one family that this rank is in.
    struct Group {
        std::int64_t size = 0;                   ///< 0: in none
        std::int64_t position = 0;               ///< of this rank
        std::vector<std::int64_t> positions;     ///< of the real members, ascending
        std::optional<comm::Communicator> real;  ///< the real members; none: this one alone
        [[nodiscard]] bool all_real() const {
            return static_cast<std::int64_t>(positions.size()) == size;
        }
    };
    struct Transfer {
        graph::FamilyIndex family = 0;
        comm::Request request;
    };
    static Group group_of(const graph::Family& family, const graph::Membership& members,
                          const RealRanks& real);
    /// @throws SystemError (internal) where this rank is in no group of the family.
    [[nodiscard]] const Group& group(graph::FamilyIndex family) const;
    /// Process of the peer in the group's communicator; nothing where it is virtual.
    [[nodiscard]] std::optional<int> peer(const graph::Communication& call) const;
    void reduce(const Group& group, graph::ReduceOp op, std::span<float> all);
    void gather(const Group& group, std::span<const float> in, std::span<float> out);
    void reduce_scatter(const Group& group, graph::ReduceOp op, std::span<const float> in,
                        std::span<float> out);

    std::vector<Group> groups_;  ///< [family]
    Payloads payloads_;
    std::map<std::uint64_t, Transfer> under_way_;
    std::uint64_t next_ = 0;
};

}  // namespace prismllm::emulation
