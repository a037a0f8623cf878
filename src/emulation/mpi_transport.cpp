// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi_transport.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "prismllm/base/error.hpp"

namespace prismllm::emulation {
namespace {

// One message at a time and direction in a communicator: order tells them apart.
constexpr int tag = 0;

}  // namespace

MpiTransport::MpiTransport(const comm::Communicator& world,
                           const std::vector<graph::Family>& families) {
    const auto rank = static_cast<std::size_t>(world.rank());
    for (const graph::Family& family : families) {
        const graph::Membership members = membership_of(family, world.size());
        const std::int32_t number = members.group[rank];
        groups_.push_back(world.split(number >= 0 ? std::optional<int>{number} : std::nullopt,
                                      members.position[rank]));
    }
}

const comm::Communicator& MpiTransport::group(graph::FamilyIndex family) const {
    if (family >= groups_.size() || !groups_[family]) {
        throw SystemError{ErrorCode::internal, "a rank calls a communicator that it is not in"};
    }
    return *groups_[family];
}

int MpiTransport::peer(const graph::Communication& call) const {
    const comm::Communicator& members = group(call.family);
    return (members.rank() + call.peer_delta + members.size()) % members.size();
}

void MpiTransport::collective(const graph::Communication& call, std::span<const float> in,
                              std::span<float> out) {
    const comm::Communicator& members = group(call.family);
    // Input and output may be parts of one another, as NCCL allows and MPI does not.
    const auto copied = [&] { return std::vector<float>(in.begin(), in.end()); };
    switch (call.kind) {
        case graph::CollectiveKind::all_reduce:
            if (in.data() != out.data()) {
                std::ranges::copy(in, out.begin());
            }
            return members.reduce_all(out, call.reduce == graph::ReduceOp::max
                                               ? comm::Reduction::max
                                               : comm::Reduction::sum);
        case graph::CollectiveKind::all_gather:
            return members.gather_all(copied(), out);
        case graph::CollectiveKind::reduce_scatter:
            return members.sum_and_scatter(copied(), out);
        default:
            throw SystemError{ErrorCode::internal,
                              "real ranks do not " + std::string{name_of(call.kind)} + " yet"};
    }
}

std::uint64_t MpiTransport::start_send(const graph::Communication& call,
                                       std::span<const float> in) {
    under_way_.emplace(next_,
                       Transfer{call.family, group(call.family).start_send(peer(call), tag, in)});
    return next_++;
}

std::uint64_t MpiTransport::start_recv(const graph::Communication& call, std::span<float> out) {
    under_way_.emplace(next_,
                       Transfer{call.family, group(call.family).start_recv(peer(call), tag, out)});
    return next_++;
}

void MpiTransport::finish(std::uint64_t ticket) {
    const auto found = under_way_.find(ticket);
    if (found != under_way_.end()) {
        group(found->second.family).finish(found->second.request);
        under_way_.erase(found);
    }
}

}  // namespace prismllm::emulation
