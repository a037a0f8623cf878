// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Communication that a library of GPUs queues on streams, among ranks with a GPU each.
#pragma once

#include <cstddef>
#include <vector>

#include "driver.hpp"
#include "operations.hpp"

namespace prismllm::device {

/// All calls throw SystemError (resources) where the library reports an error.
class StreamCollectives {
public:
    virtual ~StreamCollectives() = default;

    /// Names a group that is about to meet; one member makes it for all.
    [[nodiscard]] virtual std::vector<std::byte> make_id() = 0;
    /// Returns when all members have joined. Members join their groups in the order of families.
    virtual void join(graph::FamilyIndex family, const std::vector<std::byte>& id, int size,
                      int position) = 0;

    /// Of what is queued from now on.
    virtual void use(Driver::Stream stream) = 0;
    /// A collective, or a send (`in` only) or recv (`out` only). Views are in the call's dtype.
    /// @pre joined call.family
    virtual void queue(const graph::Communication& call, View in, View out) = 0;
    /// What is queued in between starts together.
    virtual void begin_batch() = 0;
    virtual void end_batch() = 0;
};

}  // namespace prismllm::device
