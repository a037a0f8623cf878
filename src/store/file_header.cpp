// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "file_header.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace prismllm::store {
namespace {

// First number of "MAJOR.MINOR.PATCH"; -1 when there is none.
int major_of(std::string_view version) {
    int major = -1;
    const auto end = std::from_chars(version.data(), version.data() + version.size(), major);
    const bool dotted = end.ptr != version.data() + version.size() && *end.ptr == '.';
    return end.ec == std::errc{} && dotted ? major : -1;
}

struct LayoutNumber {
    const char* name;
    std::int64_t graph::JobLayout::*member;
    std::int64_t least;
};

constexpr std::array<LayoutNumber, 12> layout_numbers{{
    {"tensor_parallel", &graph::JobLayout::tensor_parallel, 1},
    {"context_parallel", &graph::JobLayout::context_parallel, 1},
    {"pipeline_parallel", &graph::JobLayout::pipeline_parallel, 1},
    {"virtual_pipeline", &graph::JobLayout::virtual_pipeline, 1},
    {"data_parallel", &graph::JobLayout::data_parallel, 1},
    {"expert_parallel", &graph::JobLayout::expert_parallel, 1},
    {"expert_tensor_parallel", &graph::JobLayout::expert_tensor_parallel, 1},
    {"zero_stage", &graph::JobLayout::zero_stage, 0},
    {"micro_batch_size", &graph::JobLayout::micro_batch_size, 1},
    {"micro_batches", &graph::JobLayout::micro_batches, 1},
    {"global_batch_size", &graph::JobLayout::global_batch_size, 1},
    {"sequence_length", &graph::JobLayout::sequence_length, 1},
}};

void write_layout(GroupWriter& job, const graph::JobLayout& layout) {
    for (const LayoutNumber& number : layout_numbers) {
        job.attribute(number.name, layout.*number.member);
    }
    job.attribute("sequence_parallel", std::int64_t{layout.sequence_parallel});
}

std::optional<graph::JobLayout> read_layout(const GroupReader& job) {
    if (!job.has_attribute(layout_numbers.front().name)) {
        return std::nullopt;
    }
    graph::JobLayout layout;
    for (const LayoutNumber& number : layout_numbers) {
        const std::int64_t value = job.integer(number.name);
        if (value < number.least) {
            reject("attribute '{}' is {}, {} or more is possible", job.where(number.name), value,
                   number.least);
        }
        layout.*number.member = value;
    }
    layout.sequence_parallel = job.integer("sequence_parallel") != 0;
    return layout;
}

/// Only where ranks were executed.
void write_real_facts(GroupWriter& group, const RealFacts& facts) {
    if (facts == RealFacts{}) {
        return;
    }
    group.attribute("answers_awaited", facts.awaited);
    group.attribute("answers_late", facts.late);
    group.attribute("late_ps", facts.late_ps);
    group.attribute("latest_ps", facts.latest_ps);
    group.attribute("held_ps", facts.held_ps);
    group.attribute("handed_over", facts.handed_over);
    group.attribute("handing_over_ps", facts.handing_over_ps);
}

RealFacts read_real_facts(const GroupReader& group) {
    RealFacts facts;
    if (!group.has_attribute("answers_awaited")) {
        return facts;
    }
    facts.awaited = group.integer("answers_awaited");
    facts.late = group.integer("answers_late");
    facts.late_ps = group.integer("late_ps");
    facts.latest_ps = group.integer("latest_ps");
    facts.held_ps = group.integer("held_ps");
    facts.handed_over = group.integer("handed_over");
    facts.handing_over_ps = group.integer("handing_over_ps");
    return facts;
}

}  // namespace

void write_header(FileWriter& file, const Format& format, std::string_view title,
                  const Provenance& provenance) {
    auto root = file.root();
    root.attribute("format", format.name);
    root.attribute("schema_version",
                   fmt::format("{}.{}.{}", format.major, format.minor, format.patch));
    root.attribute("software", "PrismLLM");
    root.attribute("softwareVersion", provenance.software_version);
    root.attribute("title", title);

    auto group = file.group("provenance");
    group.attribute("date", provenance.date);
    group.attribute("machine", provenance.machine);
    group.attribute("deck_sha256", provenance.deck_sha256);
    group.attribute("host_ranks", provenance.run.host_ranks);
    group.attribute("slicing_wall_s", provenance.run.slicing_wall_s);
    group.attribute("engine_wall_s", provenance.run.engine_wall_s);
    group.attribute("total_wall_s", provenance.run.total_wall_s);
    group.attribute("state_bytes_per_participant", provenance.run.state_bytes_per_participant);
    write_real_facts(group, provenance.run.real);
    // Texts of any length are datasets: an attribute holds at most 64 KiB.
    group.strings("deck", std::vector{provenance.deck_text});
    group.strings("command_line", std::vector{provenance.command_line});
    group.strings("extra_key",
                  pick<std::string>(provenance.extra, [](const auto& e) { return e.first; }));
    group.strings("extra_value",
                  pick<std::string>(provenance.extra, [](const auto& e) { return e.second; }));
}

void check_header(const FileReader& file, const Format& format) {
    const auto root = file.root();
    if (!root.has_attribute("format")) {
        reject("it is an HDF5 file of another program: attribute '/format' is missing");
    }
    const auto name = root.text("format");
    if (name != format.name) {
        reject("its format is '{}', '{}' is needed", name, format.name);
    }
    const auto version = root.text("schema_version");
    if (major_of(version) != format.major) {
        reject("its schema version is {}, this program reads {}.x", version, format.major);
    }
}

Provenance read_provenance(const FileReader& file) {
    const auto root = file.root();
    const auto group = file.group("/provenance");
    Provenance provenance;
    provenance.software_version = root.text("softwareVersion");
    provenance.date = group.text("date");
    provenance.machine = group.text("machine");
    provenance.deck_sha256 = group.text("deck_sha256");
    provenance.run.host_ranks = group.integer("host_ranks");
    provenance.run.slicing_wall_s = group.number("slicing_wall_s");
    provenance.run.engine_wall_s = group.number("engine_wall_s");
    provenance.run.total_wall_s = group.number("total_wall_s");
    provenance.run.state_bytes_per_participant = group.number("state_bytes_per_participant");
    provenance.run.real = read_real_facts(group);
    provenance.deck_text = group.strings("deck", 1)[0];
    provenance.command_line = group.strings("command_line", 1)[0];
    const auto count = group.string_count("extra_key");
    const auto keys = group.strings("extra_key", count);
    const auto values = group.strings("extra_value", count);
    for (std::size_t i = 0; i < count; ++i) {
        provenance.extra.emplace_back(keys[i], values[i]);
    }
    return provenance;
}

void write_job(GroupWriter& job, const graph::JobFacts& facts, std::int64_t world_size,
               std::int64_t ranks_per_node) {
    job.attribute("title", facts.title);
    job.attribute("device_name", facts.device_name);
    job.attribute("device_peak_flops_per_s", facts.device_peak_flops);
    job.attribute("device_memory_bytes", facts.device_memory_bytes);
    job.attribute("model_flops_per_iteration", facts.model_flops_per_iteration);
    job.attribute("hardware_flops_per_iteration", facts.hardware_flops_per_iteration);
    job.attribute("flops_formula", facts.flops_formula);
    job.attribute("tokens_per_iteration", facts.tokens_per_iteration);
    job.attribute("parameters", facts.parameters);
    job.attribute("pipeline_stages", facts.pipeline_stages);
    if (facts.layout) {
        write_layout(job, *facts.layout);
    }
    job.attribute("world_size", world_size);
    job.attribute("ranks_per_node", ranks_per_node);
}

graph::JobFacts read_facts(const GroupReader& job) {
    graph::JobFacts facts;
    facts.title = job.text("title");
    facts.device_name = job.text("device_name");
    facts.device_peak_flops = job.number("device_peak_flops_per_s");
    facts.device_memory_bytes = job.integer("device_memory_bytes");
    facts.model_flops_per_iteration = job.number("model_flops_per_iteration");
    facts.hardware_flops_per_iteration = job.number("hardware_flops_per_iteration");
    facts.flops_formula = job.text("flops_formula");
    facts.tokens_per_iteration = job.integer("tokens_per_iteration");
    facts.parameters = job.integer("parameters");
    facts.pipeline_stages = job.integer("pipeline_stages");
    facts.layout = read_layout(job);
    return facts;
}

std::int64_t read_world_size(const GroupReader& job) {
    const auto world_size = job.integer("world_size");
    if (world_size < 1 || world_size > largest_world_size) {
        reject("attribute '{}' is {}, 1 to {} is possible", job.where("world_size"), world_size,
               largest_world_size);
    }
    return world_size;
}

}  // namespace prismllm::store
