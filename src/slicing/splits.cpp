// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "prismllm/graph/describe.hpp"

#include "matching.hpp"

namespace prismllm::slicing {
namespace {

using graph::Communication;
using graph::FamilyIndex;

/// Checks the all_to_all calls of one family, each distinct combination of calls once.
class SplitCheck {
public:
    SplitCheck(const SyncJob& job, FamilyIndex f) : job_{job}, family_{job.graph.families[f]} {
        for (const SyncProgram& program : job.programs) {
            lists_.push_back(program.find_list({ListKind::collective, f, 0}));
            uneven_.emplace_back();
            for (std::size_t k = 0; k < count(program, lists_.back()); ++k) {
                if (call(program, lists_.back(), k).splits >= 0) {
                    uneven_.back().push_back(k);
                }
            }
        }
    }

    [[nodiscard]] std::vector<Defect> run() && {
        const bool none = std::all_of(uneven_.begin(), uneven_.end(),
                                      [](const auto& numbers) { return numbers.empty(); });
        for (std::int64_t g = 0; !none && g < family_.group_count(); ++g) {
            ranks_ = family_.group_ranks(g);
            units_.clear();
            for (const std::int64_t rank : ranks_) {
                units_.push_back(job_.units.unit_of_rank[static_cast<std::size_t>(rank)]);
            }
            if (seen_groups_.insert(units_).second) {
                check_group(g);
            }
        }
        return std::move(defects_);
    }

private:
    static std::size_t count(const SyncProgram& program, std::int32_t list) {
        return list < 0 ? 0 : program.lists[static_cast<std::size_t>(list)].size();
    }
    [[nodiscard]] std::uint32_t index(const SyncProgram& program, std::int32_t list,
                                      std::size_t k) const {
        const std::uint32_t op = program.lists[static_cast<std::size_t>(list)][k].op;
        return job_.graph.classes[static_cast<std::size_t>(program.rank_class)].ops[op].index;
    }
    [[nodiscard]] const Communication& call(const SyncProgram& program, std::int32_t list,
                                            std::size_t k) const {
        return job_.graph.communications[index(program, list, k)];
    }

    void check_group(std::int64_t group) {
        std::vector<std::size_t> numbers;
        for (const std::uint32_t unit : std::set<std::uint32_t>{units_.begin(), units_.end()}) {
            numbers.insert(numbers.end(), uneven_[unit].begin(), uneven_[unit].end());
        }
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        for (const std::size_t k : numbers) {
            calls_.clear();
            for (const std::uint32_t unit : units_) {
                calls_.push_back(index(job_.programs[unit], lists_[unit], k));
            }
            if (seen_calls_.insert(calls_).second) {
                check_call(group, k);
            }
        }
    }

    void check_call(std::int64_t group, std::size_t k) {
        const std::size_t n = ranks_.size();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                const std::int64_t sent = elements(calls_[i], j, &Splits::send);
                const std::int64_t expected = elements(calls_[j], i, &Splits::receive);
                if (sent != expected) {
                    report(group, k, i, j, sent, expected);
                }
            }
        }
    }

    using Splits = graph::ExecutionGraph::Splits;
    [[nodiscard]] std::int64_t elements(std::uint32_t call_index, std::size_t peer,
                                        std::vector<std::int64_t> Splits::*side) const {
        const Communication& c = job_.graph.communications[call_index];
        if (c.splits < 0) {
            return c.elements / static_cast<std::int64_t>(ranks_.size());
        }
        return (job_.graph.splits[static_cast<std::size_t>(c.splits)].*side)[peer];
    }

    void report(std::int64_t group, std::size_t k, std::size_t i, std::size_t j, std::int64_t sent,
                std::int64_t expected) {
        const SyncProgram& program = job_.programs[units_[i]];
        const std::uint32_t op = program.lists[static_cast<std::size_t>(lists_[units_[i]])][k].op;
        const std::string communicator = graph::communicator_name(family_, group);
        Defect defect{DefectKind::split_mismatch,
                      {ranks_[i], ranks_[j]},
                      communicator,
                      static_cast<std::int64_t>(k),
                      {}};
        defect.text = fmt::format(
            "rank {} sends {} elements to rank {} in call number {} of communicator {}, but rank "
            "{} expects {} from rank {}: {}. Make both split lists agree",
            ranks_[i], sent, ranks_[j], k, communicator, ranks_[j], expected, ranks_[i],
            graph::describe_op(job_.graph, program.rank_class, op));
        defects_.push_back(std::move(defect));
    }

    const SyncJob& job_;
    const graph::Family& family_;
    std::vector<std::int32_t> lists_;               ///< [program]
    std::vector<std::vector<std::size_t>> uneven_;  ///< [program], call numbers with splits
    std::set<std::vector<std::uint32_t>> seen_groups_, seen_calls_;
    std::vector<Defect> defects_;
    // Of the group at hand, by position:
    std::vector<std::int64_t> ranks_;
    std::vector<std::uint32_t> units_;
    std::vector<std::uint32_t> calls_;
};

}  // namespace

std::vector<Defect> find_split_mismatches(const SyncJob& job) {
    std::vector<Defect> defects;
    for (std::size_t f = 0; f < job.graph.families.size(); ++f) {
        for (Defect& defect : SplitCheck{job, static_cast<FamilyIndex>(f)}.run()) {
            defects.push_back(std::move(defect));
        }
    }
    return defects;
}

}  // namespace prismllm::slicing
