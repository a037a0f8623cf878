// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "prismllm/report/report.hpp"

#include "analysis.hpp"

namespace prismllm::report {

std::string stages_csv(const store::StoredResult& result) {
    std::string csv =
        "stage,ranks,compute_ps,tensor_communication_ps,data_communication_ps,"
        "pipeline_communication_ps,bubble_ps,skew_ps,peak_memory_bytes\n";
    for (const StageTimes& t : stage_times(result.data)) {
        const auto booked = [&](std::int64_t ps) {  // empty where nothing was booked
            return result.data.accounts ? std::to_string(ps) : std::string{};
        };
        fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{}\n", t.stage, t.ranks,
                       t.compute, booked(t.tensor), booked(t.data), booked(t.pipeline),
                       booked(t.bubble), booked(t.skew), t.peak_memory_bytes);
    }
    return csv;
}

namespace {

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string chrome_trace(const store::StoredResult& result) {
    const store::ResultData& d = result.data;
    std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    const char* separator = "";
    std::int64_t named = -1;
    for (const store::TimelineOp& op : d.timeline) {
        if (op.virtual_rank != named) {
            named = op.virtual_rank;
            fmt::format_to(std::back_inserter(out),
                           "{}{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":"
                           "{{\"name\":\"rank {}\"}}}}",
                           separator, named, named);
            separator = ",\n";
            for (std::size_t s = 0; s < d.streams.size(); ++s) {
                fmt::format_to(std::back_inserter(out),
                               ",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\","
                               "\"args\":{{\"name\":{}}}}}",
                               named, s, quoted(d.streams[s]));
            }
        }
        // Microseconds with six decimals keep every picosecond.
        fmt::format_to(
            std::back_inserter(out),
            ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{}.{:06},\"dur\":{}.{:06},\"name\":{},"
            "\"args\":{{\"phase\":\"{}\",\"micro_batch\":{},\"layer\":{},\"iteration\":{}}}}}",
            op.virtual_rank, op.stream, op.start_ps / 1'000'000, op.start_ps % 1'000'000,
            (op.end_ps - op.start_ps) / 1'000'000, (op.end_ps - op.start_ps) % 1'000'000,
            quoted(d.op_names[static_cast<std::size_t>(op.name)]), name_of(op.phase),
            op.micro_batch, op.layer, op.iteration);
    }
    out += "\n]}\n";
    return out;
}

}  // namespace prismllm::report
