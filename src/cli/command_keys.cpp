// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "prismllm/deck/deck.hpp"

#include "commands.hpp"

namespace prismllm::cli {

Command add_keys(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "keys", "Explain deck keys: all, one section, one key, or the key of a Megatron-LM flag");
    auto path = std::make_shared<std::string>();
    app->add_option("key", *path,
                    "Section, section.key, key, or Megatron-LM flag; omitted: the whole reference "
                    "page");
    app->allow_extras();  // a flag of Megatron-LM is an option that this command does not have
    app->footer(
        "Examples:\n"
        "  prismllm keys parallel\n"
        "  prismllm keys training.micro_batch_size\n"
        "  prismllm keys --tensor-model-parallel-size");
    return {app, [app, path]() -> Status {
                std::vector<std::string> names = app->remaining();
                if (!path->empty()) {
                    names.insert(names.begin(), *path);
                }
                if (names.empty()) {
                    return print(deck::reference_markdown());
                }
                if (names.size() > 1) {
                    return fail(ErrorCode::usage,
                                "unexpected argument {} (prismllm keys explains one name at a "
                                "time). Leave it out",
                                names[1]);
                }
                auto text = deck::help(names.front());
                return !text ? Status{tl::unexpected{text.error()}} : print(*text);
            }};
}

}  // namespace prismllm::cli
