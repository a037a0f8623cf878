// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "training_text.hpp"

#include <filesystem>

#include "prismllm/base/printable.hpp"
#include "prismllm/base/text_file.hpp"

#include "job_options.hpp"

namespace prismllm::cli {

Expected<std::string> read_training_text(const std::string& deck_path, const deck::Deck& deck) {
    const std::string& name = deck.job.native.text;
    if (name.empty()) {
        return fail(ErrorCode::bad_deck,
                    "native.text is missing (real ranks train on a text). Name a file in the "
                    "deck, e.g. text = \"../../data/verses.txt\".");
    }
    const auto path = std::filesystem::path(deck_path).parent_path() / name;
    auto text = read_text_file(path);
    if (!text) {
        return fail(ErrorCode::bad_deck,
                    "cannot read native.text {} (names are relative to the folder of the deck). "
                    "Correct the name.",
                    printable(path.string()));
    }
    return text;
}

Expected<std::string> training_text(const comm::Communicator& world, const std::string& deck_path,
                                    const deck::Deck& deck) {
    return from_root(world, [&] { return read_training_text(deck_path, deck); });
}

}  // namespace prismllm::cli
