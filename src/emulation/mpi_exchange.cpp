// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/mpi_exchange.hpp"

#include <utility>

#include "prismllm/base/error.hpp"

namespace prismllm::emulation {

MpiExchange::MpiExchange(const comm::Communicator& comm, std::chrono::milliseconds silence_limit)
    : messages_{comm.duplicate()},
      largest_tag_{messages_.largest_tag()},
      watchdog_{silence_limit} {}

int MpiExchange::open_channel(std::span<const int> members) {
    channels_.push_back(messages_.subset(members));
    return static_cast<int>(channels_.size()) - 1;
}

engine::Exchange::Ticket MpiExchange::start_max(int channel, std::span<std::int64_t> values) {
    PRISMLLM_ASSERT(channel >= 0 && static_cast<std::size_t>(channel) < channels_.size(),
                    "the channel was opened");
    const auto& members = channels_[static_cast<std::size_t>(channel)];
    PRISMLLM_ASSERT(members.has_value(), "this proxy is a member of the channel");
    return enter(members->start_max(values));
}

engine::Exchange::Ticket MpiExchange::start_send(int to, int tag,
                                                 std::span<const std::int64_t> values) {
    check_tag(tag);
    return enter(messages_.start_send(to, tag, values));
}

engine::Exchange::Ticket MpiExchange::start_recv(int from, int tag,
                                                 std::span<std::int64_t> values) {
    check_tag(tag);
    return enter(messages_.start_recv(from, tag, values));
}

bool MpiExchange::test(Ticket ticket) {
    PRISMLLM_ASSERT(ticket >= 0 && static_cast<std::size_t>(ticket) < requests_.size(),
                    "the ticket was handed out");
    if (!requests_[static_cast<std::size_t>(ticket)].test()) {
        return false;
    }
    free_.push_back(ticket);
    backoff_.reset();
    watchdog_.reset();
    return true;
}

void MpiExchange::relax() {
    backoff_.pause();
    watchdog_.check(self(), "the emulation for a message of another proxy");
}

engine::Exchange::Ticket MpiExchange::enter(comm::Request request) {
    watchdog_.reset();
    if (free_.empty()) {
        requests_.push_back(std::move(request));
        return static_cast<Ticket>(requests_.size()) - 1;
    }
    const Ticket ticket = free_.back();
    free_.pop_back();
    requests_[static_cast<std::size_t>(ticket)] = std::move(request);
    return ticket;
}

void MpiExchange::check_tag(int tag) const {
    PRISMLLM_ASSERT(tag >= 0, "tags are not negative");
    if (tag > largest_tag_) {
        throw SystemError{
            ErrorCode::resources,
            fmt::format("message tag {} (this MPI library takes tags up to {}). Use fewer "
                        "processes or an MPI library with larger tags.",
                        tag, largest_tag_)};
    }
}

}  // namespace prismllm::emulation
