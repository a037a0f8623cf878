// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/agree.hpp"

#include <string>

#include "prismllm/comm/communicator.hpp"

namespace prismllm::comm {
namespace {

// Bounded, so that a failing process cannot make all the others allocate at will.
constexpr std::size_t max_message_bytes = 65536;

}  // namespace

Status agree(const Communicator& comm, const Status& local) {
    const std::int64_t none = comm.size();
    const std::int64_t mine = local ? none : comm.rank();
    const std::int64_t first_failed = comm.reduce_all(mine, Reduction::min);
    if (first_failed == none) {
        return {};
    }

    const int speaker = static_cast<int>(first_failed);
    std::string text;
    std::int64_t code = 0;
    if (comm.rank() == speaker) {
        text = local.error().message.substr(0, max_message_bytes);
        code = static_cast<std::int64_t>(local.error().code);
    }
    comm.broadcast(text, speaker);
    code = comm.reduce_all(code, Reduction::max);

    Error error{static_cast<ErrorCode>(code), std::move(text)};
    if (speaker != 0) {
        error = with_context(std::move(error), fmt::format("host rank {}", speaker));
    }
    return tl::unexpected{std::move(error)};
}

}  // namespace prismllm::comm
