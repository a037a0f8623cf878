// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "file_header.hpp"
#include "graph_tables.hpp"

namespace prismllm::store {
namespace {

using graph::ExecutionGraph;

std::vector<graph::Cost> read_costs(const GroupReader& group, std::size_t count) {
    return rows_from<graph::Cost>(group.column<std::int64_t>("duration_ps", {count}),
                                  group.enumeration<graph::Provenance>("provenance", count));
}

void read_kernels(const FileReader& file, ExecutionGraph& graph) {
    constexpr std::size_t axes = std::tuple_size_v<decltype(graph::Kernel::shape)>;
    const auto group = file.group("/kernels");
    const auto count = group.size_of("kernel");
    const auto kinds = group.enumeration<graph::KernelKind>("kind", count);
    const auto dtypes = group.enumeration<graph::DType>("dtype", count);
    const auto shapes = group.column<std::int64_t>("shape", {count, axes});
    const auto flops = group.column<double>("flops", {count});
    const auto bytes = group.column<std::int64_t>("traffic_bytes", {count});
    graph.kernels.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        auto& kernel = graph.kernels[i];
        kernel.kind = kinds[i];
        kernel.dtype = dtypes[i];
        for (std::size_t axis = 0; axis < axes; ++axis) {
            kernel.shape[axis] = shapes[i * axes + axis];
        }
        kernel.flops = flops[i];
        kernel.bytes = bytes[i];
    }
    if (group.integer("costed") != 0) {
        graph.kernel_costs = read_costs(group, count);
    }
    if (group.has_attribute("measured")) {
        graph.kernel_spread = group.column<double>("spread", {count});
    }
}

void read_communication_costs(const GroupReader& group, ExecutionGraph& graph) {
    if (group.integer("costed") == 0) {
        return;
    }
    const auto rows = graph.communications.size();
    const auto total = group.size_of("cost");
    const auto starts = group.offsets("cost_offsets", rows, total);
    const auto costs = read_costs(group, total);
    for (std::size_t i = 0; i < rows; ++i) {
        graph.communication_costs.emplace_back(costs.begin() + starts[i],
                                               costs.begin() + starts[i + 1]);
    }
}

void read_communications(const FileReader& file, ExecutionGraph& graph) {
    const auto group = file.group("/communications");
    const auto count = group.size_of("communication");
    graph.communications =
        rows_from<graph::Communication>(group.enumeration<graph::CollectiveKind>("kind", count),
                                        group.enumeration<graph::DType>("dtype", count),
                                        group.enumeration<graph::ReduceOp>("reduce", count),
                                        group.column<std::uint16_t>("family", {count}),
                                        group.column<std::int64_t>("elements", {count}),
                                        group.column<std::int32_t>("root", {count}),
                                        group.column<std::int32_t>("peer_delta", {count}),
                                        group.column<std::int32_t>("splits", {count}));
    read_communication_costs(group, graph);
}

void read_tensors(const FileReader& file, ExecutionGraph& graph) {
    const auto group = file.group("/tensors");
    const auto count = group.size_of("tensor");
    graph.tensors = rows_from<graph::Tensor>(group.strings("name", count),
                                             group.enumeration<graph::TensorRole>("role", count),
                                             group.column<std::int64_t>("size_bytes", {count}));
}

void read_axes(const GroupReader& group, const std::string& name,
               std::vector<graph::Family>& families,
               std::vector<graph::Axis> graph::Family::*axes) {
    const auto total = group.size_of(name + "_axis");
    const auto starts = group.offsets(name + "_offsets", families.size(), total);
    const auto rows = rows_from<graph::Axis>(group.column<std::int64_t>(name + "_size", {total}),
                                             group.column<std::int64_t>(name + "_stride", {total}));
    for (std::size_t f = 0; f < families.size(); ++f) {
        (families[f].*axes).assign(rows.begin() + starts[f], rows.begin() + starts[f + 1]);
    }
}

void read_lists(const GroupReader& group, const std::string& name,
                std::vector<graph::Family>& families,
                std::vector<std::int64_t> graph::Family::*list) {
    const auto total = group.size_of(name + "_entry");
    const auto starts = group.offsets(name + "_list_offsets", families.size(), total);
    const auto values = group.column<std::int64_t>(name + "_list", {total});
    for (std::size_t f = 0; f < families.size(); ++f) {
        (families[f].*list).assign(values.begin() + starts[f], values.begin() + starts[f + 1]);
    }
}

void read_group_shapes(const GroupReader& group, ExecutionGraph& graph) {
    if (group.integer("costed") == 0) {
        return;
    }
    const auto runs = group.size_of("shape_run");
    const auto families = graph.families.size();
    const auto starts = group.offsets("shape_run_offsets", families, runs);
    const auto counts = group.column<std::int64_t>("shape_run_groups", {runs});
    const auto shapes = group.column<std::uint16_t>("shape_run_shape", {runs});
    graph.group_shape.resize(families);
    for (std::size_t f = 0; f < families; ++f) {
        for (auto i = static_cast<std::size_t>(starts[f]);
             i < static_cast<std::size_t>(starts[f + 1]); ++i) {
            auto& row = graph.group_shape[f];
            const auto room = graph.world_size - static_cast<std::int64_t>(row.size());
            if (counts[i] < 1 || counts[i] > room) {
                reject("'{}' gives family {} more groups than the job has ranks",
                       group.where("shape_run_groups"), f);
            }
            const auto added = static_cast<std::size_t>(counts[i]);
            group.allowance().take(added, sizeof(std::uint16_t), group.where("shape_run_groups"));
            row.insert(row.end(), added, shapes[i]);
        }
    }
}

void read_families(const FileReader& file, ExecutionGraph& graph) {
    const auto group = file.group("/families");
    const auto count = group.size_of("family");
    const auto names = group.strings("name", count);
    const auto kinds = group.enumeration<graph::FamilyKind>("kind", count);
    const auto firsts = group.column<std::int64_t>("first_rank", {count});
    graph.families.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        graph.families[i].name = names[i];
        graph.families[i].kind = kinds[i];
        graph.families[i].first = firsts[i];
    }
    read_axes(group, "member", graph.families, &graph::Family::members);
    read_axes(group, "group", graph.families, &graph::Family::groups);
    read_lists(group, "group_start", graph.families, &graph::Family::group_offsets);
    read_lists(group, "rank", graph.families, &graph::Family::ranks);
    read_group_shapes(group, graph);
}

struct OpColumns {
    std::vector<graph::OpKind> kinds;
    std::vector<std::uint8_t> streams;
    std::vector<graph::Phase> phases;
    std::vector<std::int16_t> micro_batches, layers;
    std::vector<std::uint32_t> indices, instances;

    [[nodiscard]] graph::Op row(std::size_t i) const {
        return {kinds[i],         streams[i], phases[i],  0,
                micro_batches[i], layers[i],  indices[i], instances[i]};
    }
};

OpColumns read_ops(const FileReader& file) {
    const auto group = file.group("/ops");
    const auto count = group.size_of("op");
    OpColumns ops{group.enumeration<graph::OpKind>("kind", count),
                  group.column<std::uint8_t>("stream", {count}),
                  group.enumeration<graph::Phase>("phase", count),
                  group.column<std::int16_t>("micro_batch", {count}),
                  group.column<std::int16_t>("layer", {count}),
                  group.column<std::uint32_t>("index", {count}),
                  group.column<std::uint32_t>("instance", {count})};
    group.allowance().take(count, sizeof(graph::Op), group.where("op"));
    return ops;
}

void read_classes(const FileReader& file, ExecutionGraph& graph) {
    const auto ops = read_ops(file);
    const auto group = file.group("/classes");
    const auto count = group.size_of("class");
    const auto names = group.strings("name", count);
    const auto stages = group.column<std::int32_t>("stage", {count});
    const auto starts = group.offsets("op_offsets", count, ops.kinds.size());
    graph.classes.resize(count);
    for (std::size_t c = 0; c < count; ++c) {
        graph.classes[c].name = names[c];
        graph.classes[c].stage = stages[c];
        const auto first = static_cast<std::size_t>(starts[c]);
        auto& rows = graph.classes[c].ops;
        rows.resize(static_cast<std::size_t>(starts[c + 1]) - first);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i] = ops.row(first + i);
        }
    }

    const auto runs = file.group("/rank_runs");
    const auto run_count = runs.size_of("run");
    graph.rank_runs =
        rows_from<graph::RankRun>(runs.column<std::int64_t>("first_rank", {run_count}),
                                  runs.column<std::int64_t>("ranks", {run_count}),
                                  runs.column<std::int32_t>("rank_class", {run_count}));
}

void read_splits(const FileReader& file, ExecutionGraph& graph) {
    const auto group = file.group("/splits");
    const auto rows = group.size_of("send_offset");
    if (rows == 0) {
        reject("dimension '{}' is 0", group.where("send_offset"));
    }
    const auto send_total = group.size_of("send_entry");
    const auto receive_total = group.size_of("receive_entry");
    const auto send_starts = group.offsets("send_offsets", rows - 1, send_total);
    const auto receive_starts = group.offsets("receive_offsets", rows - 1, receive_total);
    const auto send = group.column<std::int64_t>("send", {send_total});
    const auto receive = group.column<std::int64_t>("receive", {receive_total});
    for (std::size_t i = 0; i + 1 < rows; ++i) {
        graph.splits.push_back(
            {{send.begin() + send_starts[i], send.begin() + send_starts[i + 1]},
             {receive.begin() + receive_starts[i], receive.begin() + receive_starts[i + 1]}});
    }
}

}  // namespace

ExecutionGraph read_graph_tables(const FileReader& file) {
    ExecutionGraph graph;
    const auto job = file.group("/job");
    graph.facts = read_facts(job);
    graph.world_size = read_world_size(job);
    graph.ranks_per_node = job.integer("ranks_per_node");
    graph.eager_bytes = job.integer("eager_bytes");
    graph.split_classes_by_position = job.integer("split_classes_by_position") != 0;
    const auto streams = file.group("/streams");
    graph.streams = streams.strings("name", streams.string_count("name"));
    read_kernels(file, graph);
    read_communications(file, graph);
    read_tensors(file, graph);
    read_families(file, graph);
    read_classes(file, graph);
    read_splits(file, graph);
    return graph;
}

}  // namespace prismllm::store
