// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "prismllm/deck/deck.hpp"

#include "commands.hpp"

namespace prismllm::cli {

Command add_keys(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "keys", "Explain deck keys: all, one section, or one key with its Megatron-LM flag");
    auto path = std::make_shared<std::string>();
    app->add_option("key", *path, "Section or section.key; omitted: the whole reference page");
    app->footer(
        "Examples:\n"
        "  prismllm keys parallel\n"
        "  prismllm keys training.micro_batch_size");
    return {app, [path]() -> Status {
                if (path->empty()) {
                    return print(deck::reference_markdown());
                }
                auto text = deck::help(*path);
                return !text ? Status{tl::unexpected{text.error()}} : print(*text);
            }};
}

}  // namespace prismllm::cli
