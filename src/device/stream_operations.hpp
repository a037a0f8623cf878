// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Arithmetic that is queued on streams.
#pragma once

#include "driver.hpp"
#include "operations.hpp"

namespace prismllm::device {

/// Operations that go to a stream of the driver.
class StreamOperations : public Operations {
public:
    virtual void use(Driver::Stream stream) = 0;
    /// Precision in which elements of a dtype lie in memory.
    [[nodiscard]] virtual graph::DType stored_as(graph::DType dtype) const = 0;
};

}  // namespace prismllm::device
