// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <utility>

#include "prismllm/graph/hash.hpp"
#include "prismllm/slicing/assemble.hpp"

namespace prismllm::slicing {
namespace {

std::uint64_t hash_of(const std::vector<graph::Op>& ops) {
    std::uint64_t h = ops.size();
    for (const graph::Op& op : ops) {
        std::uint64_t words[2];
        static_assert(sizeof(op) == sizeof(words));
        std::memcpy(words, &op, sizeof(op));
        h = graph::hash_step(graph::hash_step(h, words[0]), words[1]);
    }
    return h;
}

}  // namespace

std::int32_t Assembler::add_slice(std::string name, std::int32_t stage,
                                  std::vector<graph::Op> ops) {
    const std::uint64_t h = hash_of(ops);
    const auto [begin, end] = by_hash_.equal_range(h);
    for (auto it = begin; it != end; ++it) {
        if (classes_[static_cast<std::size_t>(it->second)].ops == ops) {
            return it->second;
        }
    }
    const auto number = static_cast<std::int32_t>(classes_.size());
    classes_.push_back({std::move(name), stage, std::move(ops)});
    by_hash_.emplace(h, number);
    return number;
}

void Assembler::assign(std::int64_t first, std::int64_t count, std::int32_t rank_class) {
    PRISMLLM_ASSERT(first == (runs_.empty() ? 0 : runs_.back().first + runs_.back().count),
                    "ranks are assigned in order without gaps");
    PRISMLLM_ASSERT(rank_class >= 0 && static_cast<std::size_t>(rank_class) < classes_.size(),
                    "the class was returned by add_slice");
    if (!runs_.empty() && runs_.back().rank_class == rank_class) {
        runs_.back().count += count;
    } else {
        runs_.push_back({first, count, rank_class});
    }
}

graph::ExecutionGraph Assembler::finish(const graph::Interner& interner,
                                        std::vector<std::string> streams,
                                        std::vector<graph::Family> families,
                                        std::int64_t world_size, std::int64_t ranks_per_node) && {
    PRISMLLM_ASSERT(!runs_.empty() && runs_.back().first + runs_.back().count == world_size,
                    "the assigned ranks cover the world");
    graph::ExecutionGraph graph;
    graph.world_size = world_size;
    graph.ranks_per_node = ranks_per_node;
    graph.streams = std::move(streams);
    graph.kernels = interner.kernels();
    graph.communications = interner.communications();
    graph.tensors = interner.tensors();
    graph.families = std::move(families);
    graph.classes = std::move(classes_);
    graph.rank_runs = std::move(runs_);
    return graph;
}

}  // namespace prismllm::slicing
