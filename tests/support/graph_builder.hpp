// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Small execution graphs written by hand, with costs stated directly.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::samples {

/// Appends ops to one class. Events and batches are numbered as they come.
class OpWriter {
public:
    explicit OpWriter(std::vector<graph::Op>& ops) : ops_{ops} {}

    void kernel(int stream, std::uint32_t kernel) {
        append(graph::OpKind::kernel, stream, kernel, 0);
    }
    void call(int stream, std::uint32_t communication, std::uint32_t batch = 0) {
        append(graph::OpKind::communicate, stream, communication, batch);
    }
    std::uint32_t record(int stream) {
        append(graph::OpKind::record, stream, 0, events_);
        return events_++;
    }
    void wait(int stream, std::uint32_t event) { append(graph::OpKind::wait, stream, 0, event); }
    /// `to` goes on only after all that `from` has been given so far.
    void order(int from, int to) { wait(to, record(from)); }
    [[nodiscard]] std::uint32_t new_batch() { return ++batches_; }
    /// Calls that start together.
    void batch(int stream, std::initializer_list<std::uint32_t> communications) {
        const std::uint32_t number = new_batch();
        for (const std::uint32_t communication : communications) {
            call(stream, communication, number);
        }
    }

private:
    void append(graph::OpKind kind, int stream, std::uint32_t index, std::uint32_t instance) {
        graph::Op op;
        op.kind = kind;
        op.stream = static_cast<std::uint8_t>(stream);
        op.index = index;
        op.instance = instance;
        ops_.push_back(op);
    }

    std::vector<graph::Op>& ops_;
    std::uint32_t events_ = 0;
    std::uint32_t batches_ = 0;
};

class GraphBuilder {
public:
    GraphBuilder(std::int64_t world_size, std::vector<std::string> streams) {
        graph_.world_size = world_size;
        graph_.ranks_per_node = world_size;
        graph_.streams = std::move(streams);
    }

    graph::FamilyIndex family(std::string name, std::vector<graph::Axis> members,
                              std::vector<graph::Axis> groups) {
        graph::Family f;
        f.name = std::move(name);
        f.members = std::move(members);
        f.groups = std::move(groups);
        return add(std::move(f));
    }
    graph::FamilyIndex irregular_family(std::string name,
                                        const std::vector<std::vector<std::int64_t>>& groups) {
        graph::Family f;
        f.name = std::move(name);
        f.group_offsets = {0};
        for (const auto& group : groups) {
            f.ranks.insert(f.ranks.end(), group.begin(), group.end());
            f.group_offsets.push_back(static_cast<std::int64_t>(f.ranks.size()));
        }
        return add(std::move(f));
    }
    /// A kernel that lasts this long.
    std::uint32_t kernel(std::int64_t duration_ps) {
        graph_.kernels.emplace_back();
        graph_.kernel_costs.push_back({duration_ps, graph::Provenance::measured});
        return static_cast<std::uint32_t>(graph_.kernels.size() - 1);
    }
    std::uint32_t collective(graph::FamilyIndex family, std::vector<std::int64_t> cost_of_shape) {
        graph::Communication c;
        c.kind = graph::CollectiveKind::all_reduce;
        c.reduce = graph::ReduceOp::sum;
        c.family = family;
        c.elements = 1024;
        return add(c, cost_of_shape);
    }
    std::uint32_t send(graph::FamilyIndex family, std::int32_t delta, std::int64_t cost_ps,
                       std::int64_t elements = 1024) {
        return pairwise(graph::CollectiveKind::send, family, delta, {cost_ps, cost_ps}, elements);
    }
    std::uint32_t recv(graph::FamilyIndex family, std::int32_t delta, std::int64_t cost_ps,
                       std::int64_t elements = 1024) {
        return pairwise(graph::CollectiveKind::recv, family, delta, {cost_ps, cost_ps}, elements);
    }
    std::uint32_t pairwise(graph::CollectiveKind kind, graph::FamilyIndex family,
                           std::int32_t delta, std::vector<std::int64_t> cost_of_shape,
                           std::int64_t elements) {
        graph::Communication c;
        c.kind = kind;
        c.dtype = graph::DType::uint8;
        c.family = family;
        c.elements = elements;
        c.peer_delta = delta;
        return add(c, cost_of_shape);
    }
    /// The next `count` ranks run a new class; write its ops before the next call.
    OpWriter rank_class(std::int64_t count, std::string name) {
        const auto number = static_cast<std::int32_t>(graph_.classes.size());
        graph_.classes.push_back({std::move(name), number, {}});
        graph_.rank_runs.push_back({next_rank_, count, number});
        next_rank_ += count;
        return OpWriter{graph_.classes.back().ops};
    }
    graph::ExecutionGraph& graph() { return graph_; }

private:
    graph::FamilyIndex add(graph::Family family) {
        graph_.group_shape.emplace_back(static_cast<std::size_t>(family.group_count()),
                                        std::uint16_t{0});
        graph_.families.push_back(std::move(family));
        return static_cast<graph::FamilyIndex>(graph_.families.size() - 1);
    }
    std::uint32_t add(const graph::Communication& c, const std::vector<std::int64_t>& costs) {
        graph_.communications.push_back(c);
        graph_.communication_costs.emplace_back();
        for (const std::int64_t cost : costs) {
            graph_.communication_costs.back().push_back({cost, graph::Provenance::measured});
        }
        return static_cast<std::uint32_t>(graph_.communications.size() - 1);
    }

    graph::ExecutionGraph graph_;
    std::int64_t next_rank_ = 0;
};

}  // namespace prismllm::samples
