// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Execution graphs written by hand, a script for each class.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/graph/interner.hpp"
#include "prismllm/slicing/assemble.hpp"

namespace prismllm::slicing {

/// The op list of one class under construction.
class Script {
public:
    explicit Script(graph::Interner& interner) : interner_{&interner} {}

    Script& on(std::uint8_t stream) {
        stream_ = stream;
        return *this;
    }
    Script& kernel() { return add(graph::OpKind::kernel, interner_->intern(graph::Kernel{}), 0); }
    Script& call(const graph::Communication& c) {
        return add(graph::OpKind::communicate, interner_->intern(c), open_);
    }
    Script& all_reduce(graph::FamilyIndex family, std::int64_t elements) {
        return call(collective(graph::CollectiveKind::all_reduce, family, elements));
    }
    Script& all_gather(graph::FamilyIndex family, std::int64_t elements) {
        return call(collective(graph::CollectiveKind::all_gather, family, elements));
    }
    Script& send(graph::FamilyIndex family, std::int32_t delta, std::int64_t elements = 1000) {
        return call(message(graph::CollectiveKind::send, family, delta, elements));
    }
    Script& recv(graph::FamilyIndex family, std::int32_t delta, std::int64_t elements = 1000) {
        return call(message(graph::CollectiveKind::recv, family, delta, elements));
    }
    Script& begin() {
        open_ = ++batches_;
        return *this;
    }
    Script& end() {
        open_ = 0;
        return *this;
    }
    Script& record(std::uint32_t event) { return add(graph::OpKind::record, 0, event); }
    Script& wait(std::uint32_t event) { return add(graph::OpKind::wait, 0, event); }
    Script& micro_batch(std::int16_t number, graph::Phase phase) {
        micro_batch_ = number;
        phase_ = phase;
        return *this;
    }

    [[nodiscard]] const std::vector<graph::Op>& ops() const { return ops_; }

    static graph::Communication collective(graph::CollectiveKind kind, graph::FamilyIndex family,
                                           std::int64_t elements) {
        graph::Communication c;
        c.kind = kind;
        c.family = family;
        c.elements = elements;
        c.reduce = kind == graph::CollectiveKind::all_reduce ? graph::ReduceOp::sum
                                                             : graph::ReduceOp::none;
        return c;
    }
    static graph::Communication message(graph::CollectiveKind kind, graph::FamilyIndex family,
                                        std::int32_t delta, std::int64_t elements) {
        graph::Communication c = collective(kind, family, elements);
        c.peer_delta = delta;
        return c;
    }

private:
    Script& add(graph::OpKind kind, std::uint32_t index, std::uint32_t instance) {
        graph::Op op;
        op.kind = kind;
        op.stream = stream_;
        op.phase = phase_;
        op.micro_batch = micro_batch_;
        op.index = index;
        op.instance = instance;
        ops_.push_back(op);
        return *this;
    }

    graph::Interner* interner_;
    std::vector<graph::Op> ops_;
    std::uint8_t stream_ = 0;
    graph::Phase phase_ = graph::Phase::other;
    std::int16_t micro_batch_ = -1;
    std::uint32_t batches_ = 0, open_ = 0;
};

/// A job under construction: families, then a script for runs of ranks, in rank order.
class Sketch {
public:
    explicit Sketch(std::int64_t ranks_per_node = 8) : ranks_per_node_{ranks_per_node} {}

    graph::FamilyIndex family(std::string name, std::vector<graph::Axis> members,
                              std::vector<graph::Axis> groups = {}) {
        return keep({std::move(name),
                     graph::FamilyKind::other,
                     0,
                     std::move(members),
                     std::move(groups),
                     {},
                     {}});
    }
    graph::FamilyIndex listed_family(std::string name, std::vector<std::int64_t> offsets,
                                     std::vector<std::int64_t> ranks) {
        return keep({std::move(name),
                     graph::FamilyKind::other,
                     0,
                     {},
                     {},
                     std::move(offsets),
                     std::move(ranks)});
    }
    [[nodiscard]] Script script() { return Script{interner_}; }
    void ranks(std::int64_t count, const Script& script) {
        const std::int32_t number =
            assembler_.add_slice(fmt::format("ranks from {}", next_), 0, script.ops());
        assembler_.assign(next_, count, number);
        next_ += count;
    }
    [[nodiscard]] graph::ExecutionGraph graph() && {
        return std::move(assembler_)
            .finish(interner_, {"compute", "comm", "other"}, std::move(families_), next_,
                    ranks_per_node_);
    }

private:
    graph::FamilyIndex keep(graph::Family family) {
        families_.push_back(std::move(family));
        return static_cast<graph::FamilyIndex>(families_.size() - 1);
    }

    std::int64_t ranks_per_node_;
    std::int64_t next_ = 0;
    graph::Interner interner_;
    Assembler assembler_;
    std::vector<graph::Family> families_;
};

}  // namespace prismllm::slicing
