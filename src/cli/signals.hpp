// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Stop requests of the user or the scheduler. The handler only sets a flag.
#pragma once

namespace prismllm::cli {

/// From now on SIGINT, SIGTERM, SIGUSR1 and, unless it is ignored, SIGHUP set the flag; a second
/// one of a kind ends the process.
void catch_stop_signals();
[[nodiscard]] bool stop_requested();

}  // namespace prismllm::cli
