// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "prismllm/base/log.hpp"
#include "prismllm/report/report.hpp"
#include "prismllm/store/result_file.hpp"

#include "commands.hpp"

namespace prismllm::cli {
namespace {

struct ReportOptions {
    std::string result;
    bool json = false;
    bool csv = false;
    std::string trace;
};

Status report(const ReportOptions& options) {
    auto stored = store::read_result(options.result);
    if (!stored) {
        return tl::unexpected{stored.error()};
    }
    if (!options.trace.empty()) {
        if (stored->data.timeline.empty()) {
            return fail(ErrorCode::usage,
                        "{} holds no timeline (emulation.timeline_ranks was empty). Run again "
                        "with --set emulation.timeline_ranks=[0].",
                        options.result);
        }
        if (auto ok = guard_output(options.trace, {options.result}, true); !ok) {
            return ok;
        }
        if (auto ok = write_text(options.trace, report::chrome_trace(*stored)); !ok) {
            return ok;
        }
        log_root(LogLevel::info, "report", "{}: {} ops; opens in Perfetto or chrome://tracing",
                 options.trace, stored->data.timeline.size());
        return {};
    }
    return print(options.json  ? report::json(*stored, options.result)
                 : options.csv ? report::stages_csv(*stored)
                               : report::text(*stored, options.result));
}

}  // namespace

Command add_report(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand("report", "Report a result file again, in any form");
    auto options = std::make_shared<ReportOptions>();
    app->add_option("result", options->result, "Result file")->required();
    auto* json = app->add_flag("--json", options->json, "One JSON object");
    auto* csv = app->add_flag("--csv", options->csv, "Table of pipeline stages");
    auto* trace = app->add_option("--trace", options->trace,
                                  "Write recorded timelines to this file (Chrome trace format, "
                                  "opens in Perfetto)");
    json->excludes(csv)->excludes(trace);
    csv->excludes(trace);
    app->footer(
        "Examples:\n"
        "  prismllm report llama3.1_405b_h100_8192.result.h5 --json\n"
        "  prismllm report llama3.1_405b_h100_8192.result.h5 --trace rank0.json");
    return {app, [options] { return report(*options); }};
}

}  // namespace prismllm::cli
