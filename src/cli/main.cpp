// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The only main: parses the command line, runs one subcommand, turns its outcome into an exit
// code. An exception on one process ends the whole MPI job.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "prismllm/base/log.hpp"

#include "commands.hpp"

namespace prismllm::cli {
namespace {

/// Errors that reach this point are the same on all processes: one speaks.
int complain(const Error& error) {
    log_root(LogLevel::error, "prismllm", "{}", error.message);
    return static_cast<int>(error.code);
}

/// Log levels from PRISMLLM_LOG, then -q and -v, then --log-level.
Status set_up_log(bool quiet, bool verbose, const std::string& levels) {
    const char* environment = std::getenv("PRISMLLM_LOG");
    const std::string text = !levels.empty()          ? levels
                             : quiet                  ? "error"
                             : verbose                ? "debug"
                             : environment != nullptr ? environment
                                                      : "info";
    return set_log_levels(text);
}

int run(int argc, const char* const* argv) {
    CLI::App app{"Emulate the training of large language models at full scale on few processes."};
    app.name("prismllm");
    app.set_version_flag("--version", version_text());
    bool show_build = false;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    std::string levels;
    app.add_flag("--build-info", show_build, "Print how this program was built (with --json)");
    app.add_flag("--json", json, "With --build-info: as JSON");
    app.add_flag("-q,--quiet", quiet, "Errors only");
    app.add_flag("-v,--verbose", verbose, "Say more");
    app.add_option("--log-level", levels, "Levels, e.g. info or info,engine:debug");
    app.require_subcommand(0, 1);
    app.footer(
        "prismllm COMMAND --help shows options and examples. Exit codes: 0 done, 2 usage, "
        "3 deck,\n4 input file, 5 resources, 6 mismatch, 7 system, 8 the emulated job "
        "fails, 75 interrupted.");
    const std::vector<Command> commands{add_run(app),     add_check(app), add_slice(app),
                                        add_emulate(app), add_show(app),  add_report(app),
                                        add_keys(app)};
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : static_cast<int>(ErrorCode::usage);
    }
    if (auto ok = set_up_log(quiet, verbose, levels); !ok) {
        return complain(ok.error());
    }
    if (show_build) {
        const Status ok = print(build_info(json));
        return ok ? 0 : complain(ok.error());
    }
    for (const Command& command : commands) {
        if (command.app->parsed()) {
            const Status ok = command.run();
            return ok ? 0 : complain(ok.error());
        }
    }
    std::cout << app.help();
    return 0;
}

}  // namespace

int guarded_main(int argc, const char* const* argv) noexcept {
    try {
        remember_command_line(argc, argv);
        return run(argc, argv);
    } catch (const SystemError& e) {
        log_here(LogLevel::error, "prismllm", "{}", e.what());
        return static_cast<int>(e.code());
    } catch (const std::bad_alloc&) {
        log_here(LogLevel::error, "prismllm",
                 "out of memory (this process could not get more). Use more processes on more "
                 "nodes, or a smaller job.");
        return static_cast<int>(ErrorCode::resources);
    } catch (const std::exception& e) {
        log_here(LogLevel::error, "prismllm", "internal error: {}. Please report this.", e.what());
        return static_cast<int>(ErrorCode::internal);
    }
}

}  // namespace prismllm::cli

int main(int argc, char** argv) {
    return prismllm::cli::guarded_main(argc, argv);
}
