// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/comm/agree.hpp
/// One outcome for all processes.
#pragma once

#include "prismllm/base/error.hpp"

namespace prismllm::comm {

class Communicator;

/// Replace a process-local outcome by one that is the same on every process.
///
/// Call it after any step that can fail on some processes only (opening a file, probing a
/// device) and before the next collective, so that all leave by the same branch. If several
/// failed, the outcome of the lowest one is returned everywhere, with "host rank N: " before its
/// message unless that is rank 0, which speaks for the job. Messages are cut at 64 KiB.
/// @collective over `comm`: one reduction, and two broadcasts more if a process failed.
[[nodiscard]] Status agree(const Communicator& comm, const Status& local);

}  // namespace prismllm::comm
