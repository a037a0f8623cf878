// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What real ranks train on.
#pragma once

#include <string>

#include "prismllm/comm/communicator.hpp"
#include "prismllm/deck/deck.hpp"

namespace prismllm::cli {

/// The text that native.text names: the file lies relative to the folder of the deck. @local
[[nodiscard]] Expected<std::string> read_training_text(const std::string& deck_path,
                                                       const deck::Deck& deck);

/// The same as process 0 reads it. @collective
[[nodiscard]] Expected<std::string> training_text(const comm::Communicator& world,
                                                  const std::string& deck_path,
                                                  const deck::Deck& deck);

}  // namespace prismllm::cli
