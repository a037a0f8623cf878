// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "result_tables.hpp"

#include "file_header.hpp"
#include "rank_columns.hpp"
#include "real_rank_tables.hpp"

namespace prismllm::store {
namespace {

// Without a value the attribute is left out.
void write_optional(GroupWriter& group, const char* name, const std::optional<double>& value) {
    if (value) {
        group.attribute(name, *value);
    }
}

std::optional<double> read_optional(const GroupReader& group, const char* name) {
    return group.has_attribute(name) ? std::optional{group.number(name)} : std::nullopt;
}

void write_summary(FileWriter& file, const ResultData& data) {
    auto group = file.group("summary");
    const auto& summary = data.summary;
    group.attribute("iteration_time_ps", summary.iteration_time_ps);
    group.attribute("tokens_per_s_per_gpu", summary.tokens_per_s_per_gpu);
    group.attribute("model_tflops_per_gpu", summary.model_tflops_per_gpu);
    group.attribute("mfu", summary.mfu);
    group.attribute("participant_ops", summary.participant_ops);
    group.attribute("peak_memory_bytes", summary.peak_memory_bytes);
    group.attribute("seed", summary.seed);
    if (!data.accounts) {
        group.attribute("accounts", std::int64_t{0});
    }
    write_real_ranks(file, group, data);
    group.strings("warning", data.warnings);
    group.dimension("value", data.values.size());
    group.strings("value_name",
                  pick<std::string>(data.values, [](const auto& v) { return v.name; }));
    group.strings("value_unit",
                  pick<std::string>(data.values, [](const auto& v) { return v.unit; }));
    group.column<double>({"values", "1", "further values, units by row in value_unit"}, {"value"},
                         pick<double>(data.values, [](const auto& v) { return v.value; }));

    auto published = file.group("summary/published");
    published.strings("source", std::vector{data.published.source});
    published.strings("note", std::vector{data.published.note});
    published.attribute("flops_formula", data.published.flops_formula);
    write_optional(published, "iteration_time_s", data.published.iteration_time_s);
    write_optional(published, "model_tflops_per_gpu", data.published.model_tflops_per_gpu);
    write_optional(published, "mfu", data.published.mfu);
    write_optional(published, "tokens_per_s_per_gpu", data.published.tokens_per_s_per_gpu);
}

void read_summary(const FileReader& file, ResultData& data) {
    const auto group = file.group("/summary");
    auto& summary = data.summary;
    summary.iteration_time_ps = group.integer("iteration_time_ps");
    summary.tokens_per_s_per_gpu = group.number("tokens_per_s_per_gpu");
    summary.model_tflops_per_gpu = group.number("model_tflops_per_gpu");
    summary.mfu = group.number("mfu");
    summary.participant_ops = group.integer("participant_ops");
    summary.peak_memory_bytes = group.integer("peak_memory_bytes");
    summary.seed = group.integer("seed");
    data.accounts = !group.has_attribute("accounts") || group.integer("accounts") != 0;
    data.warnings = group.strings("warning", group.string_count("warning"));
    const auto count = group.size_of("value");
    data.values = rows_from<NamedValue>(group.strings("value_name", count),
                                        group.strings("value_unit", count),
                                        group.column<double>("values", {count}));

    const auto published = file.group("/summary/published");
    data.published.source = published.strings("source", 1)[0];
    data.published.note = published.strings("note", 1)[0];
    data.published.flops_formula = published.text("flops_formula");
    data.published.iteration_time_s = read_optional(published, "iteration_time_s");
    data.published.model_tflops_per_gpu = read_optional(published, "model_tflops_per_gpu");
    data.published.mfu = read_optional(published, "mfu");
    data.published.tokens_per_s_per_gpu = read_optional(published, "tokens_per_s_per_gpu");
}

void write_families_and_classes(FileWriter& file, const ResultData& data) {
    auto families = file.group("results/families");
    const auto& family_rows = data.families;
    families.dimension("family", family_rows.size());
    families.strings("name", pick<std::string>(family_rows, [](auto& f) { return f.name; }));
    families.enumeration<graph::FamilyKind>(
        "kind", "what the groups divide", "family",
        pick<std::uint8_t>(family_rows, [](auto& f) { return f.kind; }));
    families.column<std::int64_t>(
        {"groups", "1", "number of groups"}, {"family"},
        pick<std::int64_t>(family_rows, [](auto& f) { return f.groups; }));
    families.column<std::int64_t>(
        {"largest_group", "1", "virtual ranks of the largest group"}, {"family"},
        pick<std::int64_t>(family_rows, [](auto& f) { return f.largest_group; }));

    auto classes = file.group("results/classes");
    const auto& class_rows = data.classes;
    classes.dimension("class", class_rows.size());
    classes.strings("name", pick<std::string>(class_rows, [](auto& c) { return c.name; }));
    classes.column<std::int32_t>({"stage", "1", "pipeline stage"}, {"class"},
                                 pick<std::int32_t>(class_rows, [](auto& c) { return c.stage; }));
    classes.column<std::int64_t>({"ranks", "1", "virtual ranks of the class"}, {"class"},
                                 pick<std::int64_t>(class_rows, [](auto& c) { return c.ranks; }));
    classes.column<std::int64_t>({"ops", "1", "entries of the op list"}, {"class"},
                                 pick<std::int64_t>(class_rows, [](auto& c) { return c.ops; }));
}

void read_families_and_classes(const FileReader& file, ResultData& data) {
    const auto families = file.group("/results/families");
    const auto family_count = families.size_of("family");
    data.families =
        rows_from<FamilyRow>(families.strings("name", family_count),
                             families.enumeration<graph::FamilyKind>("kind", family_count),
                             families.column<std::int64_t>("groups", {family_count}),
                             families.column<std::int64_t>("largest_group", {family_count}));

    const auto classes = file.group("/results/classes");
    const auto class_count = classes.size_of("class");
    data.classes = rows_from<ClassRow>(classes.strings("name", class_count),
                                       classes.column<std::int32_t>("stage", {class_count}),
                                       classes.column<std::int64_t>("ranks", {class_count}),
                                       classes.column<std::int64_t>("ops", {class_count}));
}

void write_iterations(FileWriter& file, const ResultData& data) {
    auto group = file.group("results/iterations");
    const auto& rows = data.iterations;
    const std::vector<std::string> dims{"iteration"};
    group.dimension("iteration", rows.size());
    group.column<std::int64_t>({"start_ps", "ps", "emulated start"}, dims,
                               pick<std::int64_t>(rows, [](auto& r) { return r.start_ps; }));
    group.column<std::int64_t>({"end_ps", "ps", "emulated end"}, dims,
                               pick<std::int64_t>(rows, [](auto& r) { return r.end_ps; }));
    group.column<std::int64_t>(
        {"duration_ps", "ps", "end minus start"}, dims,
        pick<std::int64_t>(rows, [](auto& r) { return r.end_ps - r.start_ps; }));
}

void read_iterations(const FileReader& file, ResultData& data) {
    const auto group = file.group("/results/iterations");
    const auto count = group.size_of("iteration");
    data.iterations = rows_from<IterationRow>(group.column<std::int64_t>("start_ps", {count}),
                                              group.column<std::int64_t>("end_ps", {count}));
}

void write_stages(FileWriter& file, const ResultData& data) {
    auto group = file.group("results/stages");
    const auto& rows = data.stages;
    const std::vector<std::string> dims{"row"};
    std::vector<std::int64_t> communication, skew;
    for (const auto& row : rows) {
        PRISMLLM_ASSERT(row.communication_ps.size() == data.families.size() &&
                            row.skew_ps.size() == data.families.size(),
                        "a stage has one value for each family");
        communication.insert(communication.end(), row.communication_ps.begin(),
                             row.communication_ps.end());
        skew.insert(skew.end(), row.skew_ps.begin(), row.skew_ps.end());
    }
    group.dimension("row", rows.size());
    group.dimension("family", data.families.size());
    group.column<std::int32_t>({"stage", "1", "pipeline stage"}, dims,
                               pick<std::int32_t>(rows, [](auto& r) { return r.stage; }));
    group.column<std::int64_t>({"ranks", "1", "virtual ranks of the stage"}, dims,
                               pick<std::int64_t>(rows, [](auto& r) { return r.ranks; }));
    group.column<std::int64_t>({"busy_ps", "ps", "mean time in kernels of the compute stream"},
                               dims, pick<std::int64_t>(rows, [](auto& r) { return r.busy_ps; }));
    group.column<std::int64_t>({"communication_ps", "ps", "mean exposed communication"},
                               {"row", "family"}, communication);
    group.column<std::int64_t>({"skew_ps", "ps", "mean wait for peers (pipeline: bubble)"},
                               {"row", "family"}, skew);
    group.column<std::int64_t>({"idle_ps", "ps", "mean time after the last op"}, dims,
                               pick<std::int64_t>(rows, [](auto& r) { return r.idle_ps; }));
    group.column<std::int64_t>(
        {"peak_memory_bytes", "byte", "highest memory in use on a rank of the stage"}, dims,
        pick<std::int64_t>(rows, [](auto& r) { return r.peak_memory_bytes; }));
}

void read_stages(const FileReader& file, ResultData& data) {
    const auto group = file.group("/results/stages");
    const auto count = group.size_of("row");
    const auto families = data.families.size();
    const auto stages = group.column<std::int32_t>("stage", {count});
    const auto ranks = group.column<std::int64_t>("ranks", {count});
    const auto busy = group.column<std::int64_t>("busy_ps", {count});
    const auto communication = group.column<std::int64_t>("communication_ps", {count, families});
    const auto skew = group.column<std::int64_t>("skew_ps", {count, families});
    const auto idle = group.column<std::int64_t>("idle_ps", {count});
    const auto memory = group.column<std::int64_t>("peak_memory_bytes", {count});
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = [&](const std::vector<std::int64_t>& table) {
            const auto start = table.begin() + static_cast<std::ptrdiff_t>(i * families);
            return std::vector<std::int64_t>(start, start + static_cast<std::ptrdiff_t>(families));
        };
        data.stages.push_back(
            {stages[i], ranks[i], busy[i], row(communication), row(skew), idle[i], memory[i]});
    }
}

void write_coverage(FileWriter& file, const ResultData& data) {
    auto group = file.group("results/coverage");
    const auto& rows = data.coverage;
    group.dimension("row", rows.size());
    group.strings("name", pick<std::string>(rows, [](auto& r) { return r.name; }));
    group.enumeration<graph::Provenance>(
        "provenance", "where the durations come from", "row",
        pick<std::uint8_t>(rows, [](auto& r) { return r.provenance; }));
    group.column<std::uint8_t>({"communication", "1", "1: communication, 0: kernels"}, {"row"},
                               pick<std::uint8_t>(rows, [](auto& r) { return r.communication; }));
    group.column<std::int64_t>({"time_ps", "ps", "nominal time in an iteration, mean over ranks"},
                               {"row"},
                               pick<std::int64_t>(rows, [](auto& r) { return r.time_ps; }));
    group.column<double>({"calls", "1", "ops in an iteration, mean over all ranks"}, {"row"},
                         pick<double>(rows, [](auto& r) { return r.calls; }));
}

void read_coverage(const FileReader& file, ResultData& data) {
    const auto group = file.group("/results/coverage");
    const auto count = group.size_of("row");
    data.coverage = rows_from<CoverageRow>(
        group.strings("name", count), group.enumeration<graph::Provenance>("provenance", count),
        pick<bool>(group.column<std::uint8_t>("communication", {count}),
                   [](std::uint8_t flag) { return flag != 0; }),
        group.column<std::int64_t>("time_ps", {count}), group.column<double>("calls", {count}));
}

}  // namespace

void write_result_tables(FileWriter& file, const ResultData& data, std::size_t timeline_ops) {
    auto job = file.group("job");
    write_job(job, data.facts, data.world_size, data.ranks_per_node);
    write_summary(file, data);
    write_families_and_classes(file, data);
    write_iterations(file, data);
    write_stages(file, data);
    write_coverage(file, data);
    reserve_rank_columns(file, {static_cast<std::size_t>(data.world_size), data.iterations.size(),
                                data.families.size()});
    file.group("trace/streams").strings("name", data.streams);
    file.group("trace/names").strings("name", data.op_names);
    reserve_timeline(file, timeline_ops);
}

ResultData read_result_tables(const FileReader& file) {
    ResultData data;
    const auto job = file.group("/job");
    data.facts = read_facts(job);
    data.world_size = read_world_size(job);
    data.ranks_per_node = job.integer("ranks_per_node");
    read_summary(file, data);
    read_families_and_classes(file, data);
    read_iterations(file, data);
    read_stages(file, data);
    read_coverage(file, data);
    read_real_ranks(file, file.group("/summary"), data);
    const auto streams = file.group("/trace/streams");
    data.streams = streams.strings("name", streams.string_count("name"));
    const auto names = file.group("/trace/names");
    data.op_names = names.strings("name", names.string_count("name"));
    return data;
}

}  // namespace prismllm::store
