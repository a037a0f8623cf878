// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>

#include "check.hpp"

namespace prismllm::graph {
namespace {

/// Walks the ops of one class and keeps which events are recorded and which tensors live.
class OpCheck {
public:
    OpCheck(const ExecutionGraph& graph, const RankClass& rank_class)
        : graph_{graph},
          class_{rank_class},
          recorded_(rank_class.ops.size()),
          tensors_(rank_class.ops.size()) {}

    [[nodiscard]] Status run() {
        for (std::size_t i = 0; i < class_.ops.size(); ++i) {
            if (Status status = check(i, class_.ops[i]); !status) {
                return status;
            }
        }
        return {};
    }

private:
    struct Life {
        std::uint32_t index = 0;
        bool allocated = false;
        bool released = false;
    };

    Status check(std::size_t i, const Op& op) {
        if (!is_known(op.kind, 6) || !is_known(op.phase, 6) || op.micro_batch < -1 ||
            op.layer < -1) {
            return broken("op {} of class '{}' has an unknown kind, phase or label", i,
                          class_.name);
        }
        if (op.stream >= graph_.streams.size()) {
            return broken("op {} of class '{}' runs on stream {} (there are {})", i, class_.name,
                          op.stream, graph_.streams.size());
        }
        switch (op.kind) {
            case OpKind::kernel:
                return check_index(i, op, graph_.kernels.size());
            case OpKind::communicate:
                return check_index(i, op, graph_.communications.size());
            case OpKind::allocate:
            case OpKind::release:
                return check_memory(i, op);
            case OpKind::record:
            case OpKind::wait:
                return check_event(i, op);
        }
        return {};
    }

    Status check_index(std::size_t i, const Op& op, std::size_t count) const {
        if (op.index >= count) {
            return broken("op {} of class '{}' names {} {} (there are {})", i, class_.name,
                          name_of(op.kind), op.index, count);
        }
        return {};
    }

    /// Numbers of events and tensors are below the number of ops, so that tables indexed by them
    /// stay as small as the op list.
    Status check_instance(std::size_t i, const Op& op) const {
        if (op.instance >= class_.ops.size()) {
            return broken(
                "op {} of class '{}' ({}) has number {} (numbers are below the class's "
                "{} ops)",
                i, class_.name, name_of(op.kind), op.instance, class_.ops.size());
        }
        return {};
    }

    Status check_memory(std::size_t i, const Op& op) {
        if (Status status = check_index(i, op, graph_.tensors.size()); !status) {
            return status;
        }
        if (Status status = check_instance(i, op); !status) {
            return status;
        }
        Life& life = tensors_[op.instance];
        if (op.kind == OpKind::allocate) {
            if (life.allocated ||
                graph_.tensors[op.index].bytes > std::numeric_limits<std::int64_t>::max() - held_) {
                return broken(
                    "op {} of class '{}' allocates tensor {} (it lives already, or the "
                    "sum overflows)",
                    i, class_.name, op.instance);
            }
            life = {op.index, true, false};
            held_ += graph_.tensors[op.index].bytes;
            return {};
        }
        if (!life.allocated || life.released || life.index != op.index) {
            return broken(
                "op {} of class '{}' releases tensor {} (it does not live then, or under "
                "another description)",
                i, class_.name, op.instance);
        }
        life.released = true;
        held_ -= graph_.tensors[op.index].bytes;
        return {};
    }

    Status check_event(std::size_t i, const Op& op) {
        if (Status status = check_instance(i, op); !status) {
            return status;
        }
        const bool known = recorded_[op.instance];
        if (op.kind == OpKind::record && known) {
            return broken("op {} of class '{}' records event {} again (an event is recorded once)",
                          i, class_.name, op.instance);
        }
        if (op.kind == OpKind::wait && !known) {
            return broken("op {} of class '{}' waits for event {} (no earlier op records it)", i,
                          class_.name, op.instance);
        }
        recorded_[op.instance] = true;
        return {};
    }

    const ExecutionGraph& graph_;
    const RankClass& class_;
    std::vector<bool> recorded_;
    std::vector<Life> tensors_;
    std::int64_t held_ = 0;
};

/// How the ranks of each class stand in one family.
struct Standing {
    std::int64_t members = 0;
    std::int64_t least_size = std::numeric_limits<std::int64_t>::max();
    std::int64_t most_size = 0;
};

std::vector<Standing> standing_in(const Family& family, const std::vector<std::int32_t>& classes,
                                  std::size_t class_count) {
    std::vector<Standing> standing(class_count);
    for (std::int64_t g = 0; g < family.group_count(); ++g) {
        const std::vector<std::int64_t> ranks = family.group_ranks(g);
        const auto size = static_cast<std::int64_t>(ranks.size());
        for (const std::int64_t rank : ranks) {
            const auto c = static_cast<std::size_t>(classes[static_cast<std::size_t>(rank)]);
            ++standing[c].members;
            standing[c].least_size = std::min(standing[c].least_size, size);
            standing[c].most_size = std::max(standing[c].most_size, size);
        }
    }
    return standing;
}

Status check_standing(const ExecutionGraph& graph, const Communication& call,
                      const RankClass& rank_class, std::int64_t class_size,
                      const Standing& standing) {
    const std::string& family = graph.families[call.family].name;
    if (standing.members != class_size) {
        return broken("class '{}' communicates in family '{}' ({} of its {} ranks are members)",
                      rank_class.name, family, standing.members, class_size);
    }
    if (call.root >= standing.least_size) {
        return broken("class '{}' names root {} in family '{}' (a group has {} members)",
                      rank_class.name, call.root, family, standing.least_size);
    }
    if (call.splits < 0) {
        return {};
    }
    const ExecutionGraph::Splits& splits = graph.splits[static_cast<std::size_t>(call.splits)];
    const auto sends = static_cast<std::int64_t>(splits.send.size());
    const auto receives = static_cast<std::int64_t>(splits.receive.size());
    if (standing.least_size != standing.most_size || sends != standing.least_size ||
        receives != standing.least_size) {
        return broken(
            "class '{}' splits an all_to_all into {} sends and {} receives (its groups "
            "in family '{}' have {} to {} members)",
            rank_class.name, sends, receives, family, standing.least_size, standing.most_size);
    }
    return {};
}

/// One class uses one call of a family.
struct Use {
    FamilyIndex family = 0;
    std::uint32_t call = 0;
    std::size_t rank_class = 0;
};

/// Distinct uses, family by family.
std::vector<Use> uses_of(const ExecutionGraph& graph) {
    std::vector<Use> uses;
    std::vector<std::size_t> last_user(graph.communications.size(), graph.classes.size());
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        for (const Op& op : graph.classes[c].ops) {
            if (op.kind == OpKind::communicate && last_user[op.index] != c) {
                last_user[op.index] = c;
                uses.push_back({graph.communications[op.index].family, op.index, c});
            }
        }
    }
    std::stable_sort(uses.begin(), uses.end(),
                     [](const Use& a, const Use& b) { return a.family < b.family; });
    return uses;
}

}  // namespace

Status check_classes(const ExecutionGraph& graph) {
    std::vector<bool> used(graph.classes.size());
    for (const RankRun& run : graph.rank_runs) {
        used[static_cast<std::size_t>(run.rank_class)] = true;
    }
    for (std::size_t c = 0; c < graph.classes.size(); ++c) {
        const RankClass& rank_class = graph.classes[c];
        if (!used[c]) {
            return broken("class {} ('{}') has no ranks (every class stands for some)", c,
                          rank_class.name);
        }
        if (rank_class.stage < 0 || rank_class.stage >= graph.world_size) {
            return broken("class '{}' is on stage {} (stages count from 0, at most one a rank)",
                          rank_class.name, rank_class.stage);
        }
        if (rank_class.ops.size() > std::numeric_limits<std::int32_t>::max()) {
            return broken("class '{}' has {} ops (at most 2^31 - 1)", rank_class.name,
                          rank_class.ops.size());
        }
        if (Status status = OpCheck{graph, rank_class}.run(); !status) {
            return status;
        }
    }
    return {};
}

Status check_members(const ExecutionGraph& graph) {
    const std::vector<std::int32_t> classes = class_of_ranks(graph);
    std::vector<std::int64_t> sizes(graph.classes.size());
    for (const RankRun& run : graph.rank_runs) {
        sizes[static_cast<std::size_t>(run.rank_class)] += run.count;
    }
    std::vector<Standing> standing;
    std::size_t standing_family = graph.families.size();
    for (const Use& use : uses_of(graph)) {
        if (use.family != standing_family) {
            standing_family = use.family;
            standing = standing_in(graph.families[use.family], classes, sizes.size());
        }
        Status status =
            check_standing(graph, graph.communications[use.call], graph.classes[use.rank_class],
                           sizes[use.rank_class], standing[use.rank_class]);
        if (!status) {
            return status;
        }
    }
    return {};
}

Status check_consistent(const ExecutionGraph& graph) {
    for (const auto check : {check_sizes, check_families, check_descriptions, check_classes,
                             check_members, check_costs}) {
        if (Status status = check(graph); !status) {
            return status;
        }
    }
    return {};
}

}  // namespace prismllm::graph
