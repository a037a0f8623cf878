// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "thread_world.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace prismllm::device {
namespace {

constexpr std::ptrdiff_t most_broadcast = 8;  // bytes

}  // namespace

class ThreadWorld::RankTransport final : public Transport {
public:
    RankTransport(ThreadWorld& world, std::int64_t rank)
        : world_{world}, turn_{world.turn_}, rank_{rank} {}

    void collective(const graph::Communication& call, std::span<const float> in,
                    std::span<float> out) override;
    std::uint64_t start_send(const graph::Communication& call, std::span<const float> in) override;
    std::uint64_t start_recv(const graph::Communication& call, std::span<float> out) override;
    void finish(std::uint64_t ticket) override;
    std::optional<Place> real_group(graph::FamilyIndex family) const override;
    void broadcast(graph::FamilyIndex family, std::vector<std::byte>& bytes) override;

private:
    struct Receive {
        PairKey pair;
        std::size_t number = 0;
        std::span<float> out;
    };
    [[nodiscard]] std::int32_t group(graph::FamilyIndex family) const {
        return world_.members_[family].group[static_cast<std::size_t>(rank_)];
    }
    [[nodiscard]] std::int32_t position(graph::FamilyIndex family) const {
        return world_.members_[family].position[static_cast<std::size_t>(rank_)];
    }
    [[nodiscard]] std::int64_t size(graph::FamilyIndex family) const {
        return world_.families_[family].group_size(group(family));
    }
    [[nodiscard]] std::int64_t peer(const graph::Communication& call) const {
        const std::int64_t n = size(call.family);
        return (position(call.family) + call.peer_delta + n) % n;
    }

    /// Let others compute until the condition is met.
    template <class Condition>
    void wait(const Condition& condition);

    ThreadWorld& world_;
    std::unique_lock<std::mutex> turn_;
    std::int64_t rank_;
    std::map<std::uint64_t, Receive> receives_;
    std::uint64_t next_ = 0;
};

ThreadWorld::ThreadWorld(std::vector<graph::Family> families, std::int64_t world_size)
    : families_{std::move(families)} {
    for (const graph::Family& family : families_) {
        members_.push_back(membership_of(family, world_size));
    }
}

std::unique_ptr<Transport> ThreadWorld::transport(std::int64_t rank) {
    return std::make_unique<RankTransport>(*this, rank);
}

void ThreadWorld::give_up() {
    const std::lock_guard turn{turn_};
    given_up_ = true;
    changed_.notify_all();
}

template <class Condition>
void ThreadWorld::RankTransport::wait(const Condition& condition) {
    const bool met = world_.changed_.wait_for(turn_, std::chrono::seconds{60},
                                              [&] { return world_.given_up_ || condition(); });
    if (!met || world_.given_up_) {
        throw std::runtime_error{"a peer failed or does not come"};
    }
}

void ThreadWorld::RankTransport::collective(const graph::Communication& call,
                                            std::span<const float> in, std::span<float> out) {
    const auto members = static_cast<std::size_t>(size(call.family));
    const auto own = static_cast<std::size_t>(position(call.family));
    Meeting& meeting = world_.meetings_[{call.family, group(call.family)}];
    wait([&] { return meeting.left == 0; });
    meeting.inputs.resize(members);
    meeting.inputs[own].assign(in.begin(), in.end());
    ++meeting.arrived;
    world_.changed_.notify_all();
    wait([&] { return meeting.arrived == members; });
    if (call.kind == graph::CollectiveKind::all_gather) {
        auto to = out.begin();
        for (const Values& input : meeting.inputs) {
            to = std::copy(input.begin(), input.end(), to);
        }
    } else {
        const std::size_t skip =
            call.kind == graph::CollectiveKind::reduce_scatter ? own * out.size() : 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            float result = meeting.inputs[0][skip + i];
            for (std::size_t m = 1; m < members; ++m) {
                const float value = meeting.inputs[m][skip + i];
                result =
                    call.reduce == graph::ReduceOp::max ? std::max(result, value) : result + value;
            }
            out[i] = result;
        }
    }
    if (++meeting.left == members) {
        meeting.left = meeting.arrived = 0;
    }
    world_.changed_.notify_all();
    // Nobody comes again before all have left.
    wait([&] { return meeting.left == 0; });
}

std::uint64_t ThreadWorld::RankTransport::start_send(const graph::Communication& call,
                                                     std::span<const float> in) {
    Mail& mail = world_.mail_[{call.family, group(call.family), position(call.family), peer(call)}];
    mail.messages.emplace(mail.sent++, Values(in.begin(), in.end()));
    world_.changed_.notify_all();
    return next_++;
}

std::uint64_t ThreadWorld::RankTransport::start_recv(const graph::Communication& call,
                                                     std::span<float> out) {
    const PairKey pair{call.family, group(call.family), peer(call), position(call.family)};
    receives_.emplace(next_, Receive{pair, world_.mail_[pair].asked++, out});
    return next_++;
}

void ThreadWorld::RankTransport::finish(std::uint64_t ticket) {
    const auto found = receives_.find(ticket);
    if (found == receives_.end()) {
        return;  // a send: its values were copied
    }
    const Receive receive = found->second;
    Mail& mail = world_.mail_[receive.pair];
    wait([&] { return mail.messages.count(receive.number) > 0; });
    const Values& values = mail.messages.at(receive.number);
    if (values.size() != receive.out.size()) {
        throw std::runtime_error{"a send and its recv differ in size"};
    }
    std::copy(values.begin(), values.end(), receive.out.begin());
    mail.messages.erase(receive.number);
    receives_.erase(found);
}

std::optional<Transport::Place> ThreadWorld::RankTransport::real_group(
    graph::FamilyIndex family) const {
    if (group(family) < 0 || size(family) < 2) {
        return std::nullopt;
    }
    return Place{static_cast<int>(size(family)), position(family)};
}

void ThreadWorld::RankTransport::broadcast(graph::FamilyIndex family,
                                           std::vector<std::byte>& bytes) {
    graph::Communication call;
    call.kind = graph::CollectiveKind::all_gather;
    call.family = family;
    Values own(most_broadcast);
    if (position(family) == 0) {
        std::ranges::transform(bytes, own.begin(),
                               [](std::byte b) { return static_cast<float>(b); });
    }
    Values all(own.size() * static_cast<std::size_t>(size(family)));
    collective(call, own, all);
    bytes.clear();
    std::transform(all.begin(), all.begin() + most_broadcast, std::back_inserter(bytes),
                   [](float value) { return static_cast<std::byte>(value); });
}

}  // namespace prismllm::device
