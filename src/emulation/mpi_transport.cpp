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

MpiTransport::Group MpiTransport::group_of(const graph::Family& family,
                                           const graph::Membership& members,
                                           const RealRanks& real) {
    Group group;
    const auto own = static_cast<std::size_t>(*real.own);
    const std::int32_t number = members.group[own];
    if (number < 0) {
        return group;
    }
    group.size = family.group_size(number);
    group.position = members.position[own];
    for (const std::int64_t rank : real.ranks) {
        const auto at = static_cast<std::size_t>(rank);
        if (members.group[at] == number) {
            group.positions.push_back(members.position[at]);
        }
    }
    std::ranges::sort(group.positions);
    return group;
}

MpiTransport::MpiTransport(const comm::Communicator& world,
                           const std::vector<graph::Family>& families, const RealRanks& real,
                           Payloads payloads)
    : payloads_{std::move(payloads)} {
    for (const graph::Family& family : families) {
        const graph::Membership members = membership_of(family, real.world_size);
        Group group;
        std::optional<int> color;
        if (real.own) {
            group = group_of(family, members, real);
            if (group.size > 0) {
                color = members.group[static_cast<std::size_t>(*real.own)];
            }
        }
        group.real = world.split(color, static_cast<int>(group.position));
        groups_.push_back(std::move(group));
    }
}

MpiTransport::MpiTransport(const std::vector<graph::Family>& families, std::int64_t world_size,
                           std::int64_t rank, Payloads payloads)
    : payloads_{std::move(payloads)} {
    const RealRanks real{world_size, {rank}, rank};
    for (const graph::Family& family : families) {
        groups_.push_back(group_of(family, membership_of(family, world_size), real));
    }
}

const MpiTransport::Group& MpiTransport::group(graph::FamilyIndex family) const {
    if (family >= groups_.size() || groups_[family].size == 0) {
        throw SystemError{ErrorCode::internal, "a rank calls a communicator that it is not in"};
    }
    return groups_[family];
}

std::optional<int> MpiTransport::peer(const graph::Communication& call) const {
    const Group& members = group(call.family);
    const std::int64_t position =
        (members.position + call.peer_delta + members.size) % members.size;
    const auto found = std::ranges::lower_bound(members.positions, position);
    if (found == members.positions.end() || *found != position || !members.real) {
        return std::nullopt;
    }
    return static_cast<int>(found - members.positions.begin());
}

void MpiTransport::collective(const graph::Communication& call, std::span<const float> in,
                              std::span<float> out) {
    const Group& members = group(call.family);
    switch (call.kind) {
        case graph::CollectiveKind::all_reduce:
            if (in.data() != out.data()) {
                std::ranges::copy(in, out.begin());
            }
            return reduce(members, call.reduce, out);
        case graph::CollectiveKind::all_gather:
            return gather(members, in, out);
        case graph::CollectiveKind::reduce_scatter:
            return reduce_scatter(members, call.reduce, in, out);
        default:
            throw SystemError{ErrorCode::internal,
                              "real ranks do not " + std::string{name_of(call.kind)} + " yet"};
    }
}

void MpiTransport::reduce(const Group& group, graph::ReduceOp op, std::span<float> all) {
    if (group.real) {
        group.real->reduce_all(
            all, op == graph::ReduceOp::max ? comm::Reduction::max : comm::Reduction::sum);
    }
    if (!group.all_real()) {
        payloads_.reduce(op, static_cast<std::int64_t>(group.positions.size()), group.size, all);
    }
}

void MpiTransport::gather(const Group& group, std::span<const float> in, std::span<float> out) {
    // Input and output may be parts of one another, as NCCL allows and MPI does not.
    const std::vector<float> own(in.begin(), in.end());
    if (group.all_real() && group.real) {
        return group.real->gather_all(own, out);
    }
    std::vector<float> theirs(own.size() * group.positions.size());
    if (group.real) {
        group.real->gather_all(own, theirs);
    } else {
        theirs = own;
    }
    std::size_t next = 0;
    for (std::int64_t position = 0; position < group.size; ++position) {
        const auto part = out.subspan(static_cast<std::size_t>(position) * own.size(), own.size());
        const bool is_real = next < group.positions.size() && group.positions[next] == position;
        // Virtual members take after the real ones in turn.
        const std::size_t source =
            is_real ? next++ : static_cast<std::size_t>(position) % group.positions.size();
        const auto like = std::span<const float>{theirs}.subspan(source * own.size(), own.size());
        if (is_real) {
            std::ranges::copy(like, part.begin());
        } else {
            payloads_.gather(like, part);
        }
    }
}

void MpiTransport::reduce_scatter(const Group& group, graph::ReduceOp op, std::span<const float> in,
                                  std::span<float> out) {
    std::vector<float> all(in.begin(), in.end());
    if (group.all_real() && group.real) {
        return group.real->sum_and_scatter(all, out);
    }
    if (group.real) {
        group.real->reduce_all(std::span{all}, comm::Reduction::sum);
    }
    const auto first = static_cast<std::size_t>(group.position) * out.size();
    std::ranges::copy(std::span<const float>{all}.subspan(first, out.size()), out.begin());
    payloads_.reduce(op, static_cast<std::int64_t>(group.positions.size()), group.size, out);
}

std::uint64_t MpiTransport::start_send(const graph::Communication& call,
                                       std::span<const float> in) {
    if (const auto to = peer(call)) {
        under_way_.emplace(
            next_, Transfer{call.family, group(call.family).real->start_send(*to, tag, in)});
    } else {
        payloads_.send(call.family, in);
    }
    return next_++;
}

std::uint64_t MpiTransport::start_recv(const graph::Communication& call, std::span<float> out) {
    if (const auto from = peer(call)) {
        under_way_.emplace(
            next_, Transfer{call.family, group(call.family).real->start_recv(*from, tag, out)});
    } else {
        payloads_.receive(call.family, out);
    }
    return next_++;
}

std::optional<device::Transport::Place> MpiTransport::real_group(graph::FamilyIndex family) const {
    const Group& own = groups_.at(family);
    if (own.size < 2 || !own.all_real() || !own.real) {
        return std::nullopt;
    }
    return Place{static_cast<int>(own.size), static_cast<int>(own.position)};
}

void MpiTransport::broadcast(graph::FamilyIndex family, std::vector<std::byte>& bytes) {
    group(family).real->broadcast(bytes);
}

void MpiTransport::finish(std::uint64_t ticket) {
    const auto found = under_way_.find(ticket);
    if (found != under_way_.end()) {
        group(found->second.family).real->finish(found->second.request);
        under_way_.erase(found);
    }
}

}  // namespace prismllm::emulation
