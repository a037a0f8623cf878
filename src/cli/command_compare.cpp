// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>

#include "prismllm/report/compare.hpp"
#include "prismllm/store/result_file.hpp"

#include "commands.hpp"

namespace prismllm::cli {
namespace {

struct CompareOptions {
    std::string first, second;
    double tolerance = 0.01;
    bool json = false;
};

Status compare(const CompareOptions& options) {
    if (!std::isfinite(options.tolerance) || options.tolerance < 0) {
        return fail(ErrorCode::usage,
                    "--tolerance {} is no part of a whole (0.01 stands for 1 %). Use 0 or more.",
                    options.tolerance);
    }
    auto first = store::read_result(options.first);
    if (!first) {
        return tl::unexpected{first.error()};
    }
    auto second = store::read_result(options.second);
    if (!second) {
        return tl::unexpected{second.error()};
    }
    const auto comparison = report::compare(first->data, second->data);
    if (!comparison) {
        return tl::unexpected{comparison.error()};
    }
    if (auto ok = print(options.json ? report::json(*comparison, options.first, options.second)
                                     : report::text(*comparison, options.first, options.second));
        !ok) {
        return ok;
    }
    const report::Difference worst = comparison->worst();
    if (worst.largest_relative > options.tolerance) {
        return fail(ErrorCode::mismatch,
                    "the results lie apart: {} by up to {:.3g} % ({:.3g} % is allowed). Look at "
                    "the table, or allow more with --tolerance.",
                    worst.name, 100 * worst.largest_relative, 100 * options.tolerance);
    }
    return {};
}

}  // namespace

Command add_compare(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "compare", "Hold two results of one job against each other, native or emulated");
    auto options = std::make_shared<CompareOptions>();
    app->add_option("first", options->first, "Result file that the other is held to")->required();
    app->add_option("second", options->second, "Result file")->required();
    app->add_option("--tolerance", options->tolerance,
                    "Largest relative difference that is none (exit code 6 beyond)")
        ->capture_default_str();
    app->add_flag("--json", options->json, "One JSON object");
    app->footer(
        "Examples:\n"
        "  prismllm compare native.h5 emulated.h5\n"
        "  prismllm compare native.h5 emulated.h5 --tolerance 0 --json");
    return {app, [options] { return compare(*options); }};
}

}  // namespace prismllm::cli
