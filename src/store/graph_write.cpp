// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "file_header.hpp"
#include "graph_tables.hpp"

namespace prismllm::store {
namespace {

using graph::ExecutionGraph;

std::vector<std::uint8_t> provenance_of(const std::vector<graph::Cost>& costs) {
    return pick<std::uint8_t>(costs, [](const auto& c) { return c.provenance; });
}

std::vector<std::int64_t> duration_of(const std::vector<graph::Cost>& costs) {
    return pick<std::int64_t>(costs, [](const auto& c) { return c.duration_ps; });
}

// Where the inner vectors of a vector of vectors start once they are put end to end.
template <class Rows, class Size>
std::vector<std::int64_t> offsets_of(const Rows& rows, Size size_of_row) {
    std::vector<std::int64_t> offsets{0};
    for (const auto& row : rows) {
        offsets.push_back(offsets.back() + static_cast<std::int64_t>(size_of_row(row)));
    }
    return offsets;
}

void write_offsets(GroupWriter& group, const std::string& name, const std::string& of,
                   const std::vector<std::int64_t>& offsets) {
    group.dimension(name, offsets.size());
    group.column<std::int64_t>({name + "s", "1", "first entry of each " + of}, {name}, offsets);
}

void write_costs(GroupWriter& group, const std::string& dimension,
                 const std::vector<graph::Cost>& costs) {
    group.column<std::int64_t>({"duration_ps", "ps", "duration on idle hardware"}, {dimension},
                               duration_of(costs));
    group.enumeration<graph::Provenance>("provenance", "where the duration comes from", dimension,
                                         provenance_of(costs));
}

void write_kernels(FileWriter& file, const ExecutionGraph& graph) {
    auto group = file.group("kernels");
    const auto& rows = graph.kernels;
    group.dimension("kernel", rows.size());
    group.dimension("axis", std::tuple_size_v<decltype(graph::Kernel::shape)>);
    group.enumeration<graph::KernelKind>(
        "kind", "kind of kernel", "kernel",
        pick<std::uint8_t>(rows, [](const auto& k) { return k.kind; }));
    group.enumeration<graph::DType>(
        "dtype", "element type of the operands", "kernel",
        pick<std::uint8_t>(rows, [](const auto& k) { return k.dtype; }));
    std::vector<std::int64_t> shapes;
    for (const auto& kernel : rows) {
        shapes.insert(shapes.end(), kernel.shape.begin(), kernel.shape.end());
    }
    group.column<std::int64_t>({"shape", "1", "sizes, meaning by kind"}, {"kernel", "axis"},
                               shapes);
    group.column<double>({"flops", "1", "floating point operations"}, {"kernel"},
                         pick<double>(rows, [](const auto& k) { return k.flops; }));
    group.column<std::int64_t>({"traffic_bytes", "byte", "least device memory traffic"}, {"kernel"},
                               pick<std::int64_t>(rows, [](const auto& k) { return k.bytes; }));
    group.attribute("costed", std::int64_t{graph.kernel_costs.empty() ? 0 : 1});
    if (!graph.kernel_costs.empty()) {
        write_costs(group, "kernel", graph.kernel_costs);
    }
    if (!graph.kernel_spread.empty()) {
        group.attribute("measured", std::int64_t{1});
        group.column<double>(
            {"spread", "1", "middle half of the measured durations as a part of their median"},
            {"kernel"}, graph.kernel_spread);
    }
}

void write_communications(FileWriter& file, const ExecutionGraph& graph) {
    auto group = file.group("communications");
    const auto& rows = graph.communications;
    const std::vector<std::string> dims{"communication"};
    group.dimension("communication", rows.size());
    group.enumeration<graph::CollectiveKind>(
        "kind", "operation", "communication",
        pick<std::uint8_t>(rows, [](const auto& c) { return c.kind; }));
    group.enumeration<graph::DType>(
        "dtype", "element type", "communication",
        pick<std::uint8_t>(rows, [](const auto& c) { return c.dtype; }));
    group.enumeration<graph::ReduceOp>(
        "reduce", "reduction", "communication",
        pick<std::uint8_t>(rows, [](const auto& c) { return c.reduce; }));
    group.column<std::uint16_t>({"family", "1", "row in /families"}, dims,
                                pick<std::uint16_t>(rows, [](const auto& c) { return c.family; }));
    group.column<std::int64_t>({"elements", "1", "element count as passed to NCCL"}, dims,
                               pick<std::int64_t>(rows, [](const auto& c) { return c.elements; }));
    group.column<std::int32_t>({"root", "1", "position of the root in the group, -1: none"}, dims,
                               pick<std::int32_t>(rows, [](const auto& c) { return c.root; }));
    group.column<std::int32_t>(
        {"peer_delta", "1", "peer position minus own position, modulo group size"}, dims,
        pick<std::int32_t>(rows, [](const auto& c) { return c.peer_delta; }));
    group.column<std::int32_t>({"splits", "1", "row in /splits, -1: even"}, dims,
                               pick<std::int32_t>(rows, [](const auto& c) { return c.splits; }));

    const auto& costs = graph.communication_costs;
    group.attribute("costed", std::int64_t{costs.empty() ? 0 : 1});
    if (costs.empty()) {
        return;
    }
    write_offsets(group, "cost_offset", "communication's costs, one a group shape",
                  offsets_of(costs, [](const auto& c) { return c.size(); }));
    std::vector<graph::Cost> flat;
    for (const auto& row : costs) {
        flat.insert(flat.end(), row.begin(), row.end());
    }
    group.dimension("cost", flat.size());
    write_costs(group, "cost", flat);
}

void write_tensors(FileWriter& file, const ExecutionGraph& graph) {
    auto group = file.group("tensors");
    const auto& rows = graph.tensors;
    group.dimension("tensor", rows.size());
    group.strings("name", pick<std::string>(rows, [](const auto& t) { return t.name; }));
    group.enumeration<graph::TensorRole>(
        "role", "what the tensor is for", "tensor",
        pick<std::uint8_t>(rows, [](const auto& t) { return t.role; }));
    group.column<std::int64_t>({"size_bytes", "byte", "size"}, {"tensor"},
                               pick<std::int64_t>(rows, [](const auto& t) { return t.bytes; }));
}

void write_axes(GroupWriter& group, const std::string& name,
                const std::vector<graph::Family>& families,
                std::vector<graph::Axis> graph::Family::*axes) {
    std::vector<graph::Axis> flat;
    for (const auto& family : families) {
        flat.insert(flat.end(), (family.*axes).begin(), (family.*axes).end());
    }
    write_offsets(group, name + "_offset", "family's " + name + " axes, fastest first",
                  offsets_of(families, [axes](const auto& f) { return (f.*axes).size(); }));
    group.dimension(name + "_axis", flat.size());
    group.column<std::int64_t>({name + "_size", "1", "length of the axis"}, {name + "_axis"},
                               pick<std::int64_t>(flat, [](const auto& a) { return a.size; }));
    group.column<std::int64_t>({name + "_stride", "1", "ranks between neighbors on the axis"},
                               {name + "_axis"},
                               pick<std::int64_t>(flat, [](const auto& a) { return a.stride; }));
}

void write_lists(GroupWriter& group, const std::string& name,
                 const std::vector<graph::Family>& families, const std::string& long_name,
                 std::vector<std::int64_t> graph::Family::*list) {
    std::vector<std::int64_t> flat;
    for (const auto& family : families) {
        flat.insert(flat.end(), (family.*list).begin(), (family.*list).end());
    }
    write_offsets(group, name + "_list_offset", "family's " + name + " list, empty when regular",
                  offsets_of(families, [list](const auto& f) { return (f.*list).size(); }));
    group.dimension(name + "_entry", flat.size());
    group.column<std::int64_t>({name + "_list", "1", long_name}, {name + "_entry"}, flat);
}

// Neighbouring groups mostly lie alike in the cluster: runs keep the size independent of W.
void write_group_shapes(GroupWriter& group, const ExecutionGraph& graph) {
    group.attribute("costed", std::int64_t{graph.group_shape.empty() ? 0 : 1});
    if (graph.group_shape.empty()) {
        return;
    }
    std::vector<std::int64_t> offsets{0}, counts;
    std::vector<std::uint16_t> shapes;
    for (const auto& family : graph.group_shape) {
        for (std::size_t i = 0; i < family.size(); ++i) {
            if (i == 0 || family[i] != family[i - 1]) {
                counts.push_back(0);
                shapes.push_back(family[i]);
            }
            ++counts.back();
        }
        offsets.push_back(static_cast<std::int64_t>(counts.size()));
    }
    write_offsets(group, "shape_run_offset", "family's runs of group shapes", offsets);
    group.dimension("shape_run", counts.size());
    group.column<std::int64_t>({"shape_run_groups", "1", "consecutive groups of the run"},
                               {"shape_run"}, counts);
    group.column<std::uint16_t>({"shape_run_shape", "1", "number of the group shape"},
                                {"shape_run"}, shapes);
}

void write_families(FileWriter& file, const ExecutionGraph& graph) {
    auto group = file.group("families");
    const auto& rows = graph.families;
    group.dimension("family", rows.size());
    group.strings("name", pick<std::string>(rows, [](const auto& f) { return f.name; }));
    group.enumeration<graph::FamilyKind>(
        "kind", "what the groups divide", "family",
        pick<std::uint8_t>(rows, [](const auto& f) { return f.kind; }));
    group.column<std::int64_t>({"first_rank", "1", "first virtual rank of regular families"},
                               {"family"},
                               pick<std::int64_t>(rows, [](const auto& f) { return f.first; }));
    write_axes(group, "member", rows, &graph::Family::members);
    write_axes(group, "group", rows, &graph::Family::groups);
    write_lists(group, "group_start", rows, "CSR offsets of the family's groups in its rank list",
                &graph::Family::group_offsets);
    write_lists(group, "rank", rows, "virtual ranks, group by group", &graph::Family::ranks);
    write_group_shapes(group, graph);
}

void write_classes(FileWriter& file, const ExecutionGraph& graph) {
    auto group = file.group("classes");
    const auto& rows = graph.classes;
    group.dimension("class", rows.size());
    group.strings("name", pick<std::string>(rows, [](const auto& c) { return c.name; }));
    group.column<std::int32_t>({"stage", "1", "pipeline stage"}, {"class"},
                               pick<std::int32_t>(rows, [](const auto& c) { return c.stage; }));
    write_offsets(group, "op_offset", "class's ops in /ops",
                  offsets_of(rows, [](const auto& c) { return c.ops.size(); }));

    auto runs = file.group("rank_runs");
    const auto& run_rows = graph.rank_runs;
    runs.dimension("run", run_rows.size());
    runs.column<std::int64_t>({"first_rank", "1", "first virtual rank of the run"}, {"run"},
                              pick<std::int64_t>(run_rows, [](const auto& r) { return r.first; }));
    runs.column<std::int64_t>({"ranks", "1", "number of virtual ranks"}, {"run"},
                              pick<std::int64_t>(run_rows, [](const auto& r) { return r.count; }));
    runs.column<std::int32_t>(
        {"rank_class", "1", "row in /classes"}, {"run"},
        pick<std::int32_t>(run_rows, [](const auto& r) { return r.rank_class; }));
}

template <class T, class Value>
void write_op_column(GroupWriter& group, const ExecutionGraph& graph, const Column& column,
                     std::size_t count, Value value_of) {
    std::vector<T> values(count);
    T* value = values.data();
    for (const auto& rank_class : graph.classes) {
        for (const auto& op : rank_class.ops) {
            *value++ = static_cast<T>(value_of(op));
        }
    }
    group.column<T>(column, {"op"}, values);
}

void write_ops(FileWriter& file, const ExecutionGraph& graph) {
    std::size_t count = 0;
    for (const auto& rank_class : graph.classes) {
        count += rank_class.ops.size();
    }
    auto group = file.group("ops");
    group.dimension("op", count);
    write_op_column<std::uint8_t>(group, graph,
                                  {"kind", "1", "kind of op", flag_meanings<graph::OpKind>()},
                                  count, [](const auto& op) { return op.kind; });
    write_op_column<std::uint8_t>(group, graph, {"stream", "1", "row in /streams"}, count,
                                  [](const auto& op) { return op.stream; });
    write_op_column<std::uint8_t>(group, graph,
                                  {"phase", "1", "part of the step", flag_meanings<graph::Phase>()},
                                  count, [](const auto& op) { return op.phase; });
    write_op_column<std::int16_t>(group, graph, {"micro_batch", "1", "micro-batch, -1: none"},
                                  count, [](const auto& op) { return op.micro_batch; });
    write_op_column<std::int16_t>(group, graph, {"layer", "1", "global layer, -1: none"}, count,
                                  [](const auto& op) { return op.layer; });
    write_op_column<std::uint32_t>(
        group, graph, {"index", "1", "row in /kernels, /communications or /tensors, by kind"},
        count, [](const auto& op) { return op.index; });
    write_op_column<std::uint32_t>(
        group, graph, {"instance", "1", "event, tensor or batch number within the class"}, count,
        [](const auto& op) { return op.instance; });
}

void write_splits(FileWriter& file, const ExecutionGraph& graph) {
    auto group = file.group("splits");
    std::vector<std::int64_t> send, receive;
    for (const auto& row : graph.splits) {
        send.insert(send.end(), row.send.begin(), row.send.end());
        receive.insert(receive.end(), row.receive.begin(), row.receive.end());
    }
    write_offsets(group, "send_offset", "row's send counts",
                  offsets_of(graph.splits, [](const auto& s) { return s.send.size(); }));
    write_offsets(group, "receive_offset", "row's receive counts",
                  offsets_of(graph.splits, [](const auto& s) { return s.receive.size(); }));
    group.dimension("send_entry", send.size());
    group.dimension("receive_entry", receive.size());
    group.column<std::int64_t>({"send", "1", "elements sent to each position"}, {"send_entry"},
                               send);
    group.column<std::int64_t>({"receive", "1", "elements expected from each position"},
                               {"receive_entry"}, receive);
}

}  // namespace

void write_graph_tables(FileWriter& file, const ExecutionGraph& graph) {
    auto job = file.group("job");
    write_job(job, graph.facts, graph.world_size, graph.ranks_per_node);
    job.attribute("eager_bytes", graph.eager_bytes);
    job.attribute("split_classes_by_position",
                  std::int64_t{graph.split_classes_by_position ? 1 : 0});
    file.group("streams").strings("name", graph.streams);
    write_kernels(file, graph);
    write_communications(file, graph);
    write_tensors(file, graph);
    write_families(file, graph);
    write_classes(file, graph);
    write_ops(file, graph);
    write_splits(file, graph);
}

}  // namespace prismllm::store
