// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What real ranks cannot execute.
#pragma once

#include <cstddef>

#include "prismllm/base/error.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::emulation {

/// @return bad_deck where tokens do not fit (bytes need a vocabulary of 256, a sample needs a text
///         longer than a sequence) or something has no arithmetic.
[[nodiscard]] Status check_real(const target::Job& job, std::size_t text_bytes);

}  // namespace prismllm::emulation
