// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file assign.hpp
/// One checked value into one setting.
#pragma once

#include "document.hpp"
#include "fields.hpp"
#include "problems.hpp"

namespace prismllm::deck {

/// Check type, unit, range and choice of `value` and store it. Everything wrong is added to
/// `problems`; the job is left as it was then.
void assign(const Field& field, const Value& value, const Place& place, target::Job& job,
            Problems& problems);

}  // namespace prismllm::deck
