// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What all our files share: root attributes, schema version, /provenance and the job's facts.
#pragma once

#include <string_view>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/store/provenance.hpp"

#include "reader.hpp"
#include "writer.hpp"

namespace prismllm::store {

/// A format's name and the schema this program writes. Readers take any MINOR of their MAJOR.
struct Format {
    std::string_view name;
    int major = 1;
    int minor = 0;
    int patch = 0;
};
// 1.1: families of experts; 1.2: the layout among the facts of the job.
inline constexpr Format graph_format{"prismllm.graph", 1, 2};
inline constexpr Format result_format{"prismllm.result", 1, 3};

/// More ranks than any job has; stops a damaged file from making tables of absurd size.
inline constexpr std::int64_t largest_world_size = std::int64_t{1} << 26;

void write_header(FileWriter& file, const Format& format, std::string_view title,
                  const Provenance& provenance);
void check_header(const FileReader& file, const Format& format);
[[nodiscard]] Provenance read_provenance(const FileReader& file);

/// JobFacts, world size and ranks per node as attributes of /job.
void write_job(GroupWriter& job, const graph::JobFacts& facts, std::int64_t world_size,
               std::int64_t ranks_per_node);
[[nodiscard]] graph::JobFacts read_facts(const GroupReader& job);
[[nodiscard]] std::int64_t read_world_size(const GroupReader& job);

}  // namespace prismllm::store
