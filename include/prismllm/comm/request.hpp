// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/comm/request.hpp
/// A message or a reduction under way.
#pragma once

#include <memory>

namespace prismllm::comm {

/// Made by Communicator::start_*; its buffers belong to MPI until test() has said true.
///
/// A request dropped before that is abandoned: a receive is cancelled and its buffer is free
/// again; the buffer of a send or reduction must live until the process ends.
class Request {
public:
    Request();
    ~Request();
    Request(Request&& other) noexcept;
    Request& operator=(Request&& other) noexcept;

    /// True when the operation is complete or the request is empty; never waits. Throws
    /// SystemError when MPI reports a failure. @local
    [[nodiscard]] bool test();

private:
    friend class Communicator;
    struct Impl;
    explicit Request(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;  ///< null: empty or complete
};

}  // namespace prismllm::comm
