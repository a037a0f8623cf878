// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "usage.hpp"

#include <utility>

#include <CLI/CLI.hpp>

#include "prismllm/base/printable.hpp"

namespace prismllm::cli {
namespace {

std::string names_of_commands(const CLI::App& app) {
    std::string names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names += (names.empty() ? "" : ", ") + command->get_name();
    }
    return names;
}

class PlainFooters : public CLI::Formatter {
public:
    std::string make_footer(const CLI::App* /*app*/) const override { return {}; }

    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        std::string text = Formatter::make_help(app, std::move(name), mode);
        if (mode == CLI::AppFormatMode::Sub || app->get_footer().empty()) {
            return text;
        }
        text.erase(text.find_last_not_of('\n') + 1);
        return text + "\n\n" + app->get_footer() + "\n";
    }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format() {
    return std::make_shared<PlainFooters>();
}

Error usage_error(const CLI::App& app, const CLI::ParseError& problem) {
    const auto chosen = app.get_subcommands();
    const std::string name =
        chosen.empty() ? app.get_name() : app.get_name() + " " + chosen.front()->get_name();
    const auto unexpected = app.remaining(true);
    std::string text;
    const bool extra = problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (!extra || unexpected.empty()) {
        text = fmt::format("{} (the command line of {} is wrong)", problem.what(), name);
    } else if (const std::string& word = unexpected.front(); word.rfind('-', 0) == 0) {
        text = fmt::format("unknown option {} ({} has no such option)", word, name);
    } else if (chosen.empty()) {
        text = fmt::format("unknown command {} (there are {})", word, names_of_commands(app));
    } else {
        text = fmt::format("unexpected argument {} ({} has all it takes)", word, name);
    }
    return Error{ErrorCode::usage, fmt::format("{}. See {} --help", printable(text), name)};
}

}  // namespace prismllm::cli
