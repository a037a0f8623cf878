// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The subcommands. Each adds its options to the application and returns what to do when it is
/// chosen; a returned error becomes the exit code. Only this room writes to stdout.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"

namespace CLI {  // its header is expensive to read
class App;
class Option;
}  // namespace CLI

namespace prismllm::cli {

struct Command {
    CLI::App* app = nullptr;
    std::function<Status()> run;
};

[[nodiscard]] Command add_run(CLI::App& parent);
[[nodiscard]] Command add_native(CLI::App& parent);
[[nodiscard]] Command add_check(CLI::App& parent);
[[nodiscard]] Command add_slice(CLI::App& parent);
[[nodiscard]] Command add_compare(CLI::App& parent);
[[nodiscard]] Command add_emulate(CLI::App& parent);
[[nodiscard]] Command add_show(CLI::App& parent);
[[nodiscard]] Command add_plan(CLI::App& parent);
[[nodiscard]] Command add_report(CLI::App& parent);
[[nodiscard]] Command add_keys(CLI::App& parent);

/// The command line as the user typed it, for provenance; set once by main.
void remember_command_line(int argc, const char* const* argv);
[[nodiscard]] const std::string& command_line();

/// Write to stdout; an error (a full disk, a closed pipe) is a system error, not a silent loss.
[[nodiscard]] Status print(const std::string& text);
/// Refuse to write over what was read, or over a file that is not a graph or result of ours.
/// A trace or any other text (`text`) may replace all but graphs and results.
[[nodiscard]] Status guard_output(const std::string& path, const std::vector<std::string>& inputs,
                                  bool text = false);
/// Whether a result or graph stands under `path` before another is written there, to say so after.
class Replaced {
public:
    Replaced() = default;
    Replaced(const std::string& path, const std::string& deck_sha256);
    /// One line of the log, where something was replaced.
    void tell() const;

private:
    std::string told_;
};
/// `path`, or where no file is there and an installed tree has one of that relative name in its
/// share folder ("inputs/decks/x.toml"), that file. Examples so work as they stand.
[[nodiscard]] std::string file_at_hand(const std::string& path);
/// Write a text file completely or leave none; what is no file (a pipe) is written to.
[[nodiscard]] Status write_text(const std::string& path, const std::string& text);

/// Text of --version and --build-info.
[[nodiscard]] std::string version_text();
[[nodiscard]] std::string build_info(bool json);

}  // namespace prismllm::cli
