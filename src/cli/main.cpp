// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The only main: parses the command line, runs one subcommand, turns its outcome into an exit
// code. An exception on one process ends the whole MPI job.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

#include <CLI/CLI.hpp>

#include "prismllm/base/log.hpp"

#include "commands.hpp"
#include "mpi_job.hpp"
#include "usage.hpp"

namespace prismllm::cli {
namespace {

/// Errors that reach this point are the same on all processes: one speaks.
/// An error without a message was told before.
int complain(const Error& error) {
    if (!error.message.empty()) {
        log_root(LogLevel::error, "prismllm", "{}", error.message);
    }
    return static_cast<int>(error.code);
}

/// Where the log speaks up; taken before and after the name of a command.
struct LogOptions {
    bool quiet = false;
    bool verbose = false;
    std::string levels;

    void add_to(CLI::App& app) {
        app.add_flag("-q,--quiet", quiet, "Errors only");
        app.add_flag("-v,--verbose", verbose, "Say more");
        app.add_option("--log-level", levels, "Levels, e.g. info or warning,placement:info");
    }

    /// PRISMLLM_LOG, then -q and -v, then --log-level.
    [[nodiscard]] Status apply() const {
        const char* environment = std::getenv("PRISMLLM_LOG");
        const std::string text = !levels.empty()          ? levels
                                 : quiet                  ? "error"
                                 : verbose                ? "debug"
                                 : environment != nullptr ? environment
                                                          : "info";
        return set_log_levels(text);
    }
};

int outcome(const Status& status) {
    return status ? 0 : complain(status.error());
}

/// --help and --version end parsing like errors do.
int answer(const CLI::App& app, const CLI::ParseError& end) {
    std::ostringstream text;
    std::ostringstream ignored;
    return app.exit(end, text, ignored) == 0 ? outcome(print(text.str()))
                                             : complain(usage_error(app, end));
}

int run(int argc, const char* const* argv) {
    CLI::App app{"Emulate the training of large language models at full scale on few processes."};
    app.name("prismllm");
    app.formatter(help_format());
    app.set_version_flag("--version", version_text());
    bool show_build = false;
    bool json = false;
    LogOptions log;
    auto* build = app.add_flag("--build-info", show_build, "Print how this program was built");
    app.add_flag("--json", json, "With --build-info: as JSON")->needs(build);
    log.add_to(app);
    app.require_subcommand(0, 1);
    app.footer(
        "prismllm COMMAND --help shows options and examples. Exit codes: 0 done, 2 usage, "
        "3 deck,\n4 input file, 5 resources, 6 mismatch, 7 system, 8 the job itself "
        "fails, 75 interrupted.");
    const std::vector<Command> commands{
        add_run(app),  add_check(app),  add_slice(app),   add_emulate(app), add_native(app),
        add_show(app), add_report(app), add_compare(app), add_plan(app),    add_keys(app)};
    for (const Command& command : commands) {
        log.add_to(*command.app);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& end) {
        return answer(app, end);
    }
    if (auto ok = log.apply(); !ok) {
        return complain(ok.error());
    }
    if (show_build) {
        return outcome(print(build_info(json)));
    }
    for (const Command& command : commands) {
        if (command.app->parsed()) {
            return outcome(command.run());
        }
    }
    return outcome(print(app.help()));
}

}  // namespace

int guarded_main(int argc, const char* const* argv) noexcept {
    try {
        remember_command_line(argc, argv);
        return run(argc, argv);
    } catch (...) {
        return static_cast<int>(tell_exception());
    }
}

}  // namespace prismllm::cli

int main(int argc, char** argv) {
    return prismllm::cli::guarded_main(argc, argv);
}
