// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>

#include "machine.hpp"

namespace prismllm::engine {

Machine::Machine(const graph::ExecutionGraph& graph, std::vector<std::int32_t> owner,
                 Exchange& exchange, Options options)
    : graph_{graph},
      exchange_{exchange},
      options_{std::move(options)},
      costs_{graph, options_.jitter},
      flights_{exchange},
      calls_{costs_, work_, timeline_},
      meetings_{costs_, flights_, calls_},
      transfers_{costs_, flights_, calls_},
      watch_{exchange, flights_},
      issued_{every_op} {
    PRISMLLM_ASSERT(owner.size() == static_cast<std::size_t>(graph.world_size),
                    "every virtual rank has an owner");
    Roster roster{graph, costs_, owner};
    make_cohorts(roster);
    std::vector<Cohort*> local(roster.cohorts.size(), nullptr);
    for (const auto& cohort : cohorts_) {
        local[static_cast<std::size_t>(cohort->number)] = cohort.get();
    }
    meetings_.set_up(roster, local);
    transfers_.set_up(roster, local);
    watch_.set_up();
    PRISMLLM_ASSERT(!options_.live || results_.ranks.size() == 1,
                    "ops are issued for the only rank of a proxy");
    PRISMLLM_ASSERT(options_.measured_ps == nullptr || options_.live,
                    "measured durations are those of a live rank");
    for (const auto& cohort : cohorts_) {
        fill_cohort(*cohort);
    }
    apply_slow_ranks(roster);
    observe(roster);
    tables_ = std::move(roster.tables);  // their addresses stay
}

void Machine::make_cohorts(const Roster& roster) {
    std::vector<std::int32_t> local_number(roster.cohorts.size(), -1);
    programs_.resize(roster.tables.size());
    for (std::size_t c = 0; c < roster.cohorts.size(); ++c) {
        const CohortInfo& info = roster.cohorts[c];
        if (info.proxy != exchange_.self()) {
            continue;
        }
        const auto t = static_cast<std::size_t>(info.table);
        if (programs_[t] == nullptr) {
            programs_[t] = std::make_unique<Program>(
                compile(graph_, costs_, info.rank_class, roster.tables[t], !options_.live));
        }
        local_number[c] = static_cast<std::int32_t>(cohorts_.size());
        const auto lane_count = static_cast<std::size_t>(info.lanes);
        cohorts_.push_back(std::make_unique<Cohort>(static_cast<std::int32_t>(c), *programs_[t],
                                                    roster.tables[t], lane_count));
        cohorts_.back()->ranks.reserve(lane_count);
        place_.emplace_back().reserve(lane_count);
        cohorts_.back()->families.resize(roster.tables[t].families.size());
        cohorts_.back()->ports.resize(roster.tables[t].ports.size());
    }
    for (std::size_t rank = 0; rank < roster.cohort_of.size(); ++rank) {
        const std::int32_t c = local_number[static_cast<std::size_t>(roster.cohort_of[rank])];
        if (c >= 0) {
            cohorts_[static_cast<std::size_t>(c)]->ranks.push_back(static_cast<std::int32_t>(rank));
            place_[static_cast<std::size_t>(c)].push_back(
                static_cast<std::int32_t>(results_.ranks.size()));
            results_.ranks.push_back(static_cast<std::int64_t>(rank));
        }
    }
}

void Machine::fill_cohort(Cohort& cohort) {
    const auto zeros = [&] {
        std::int64_t* vector = cohort.pool.take();
        std::fill_n(vector, cohort.lanes, 0);
        return vector;
    };
    for (const StreamProgram& stream : cohort.program->streams) {
        Actor& actor = cohort.actors.emplace_back();
        actor.program = &stream;
        actor.cohort = &cohort;
        actor.clock = zeros();
        actor.accounted = options_.account && stream.stream == 0;
    }
    if (options_.account) {
        for (std::size_t a = 0; a < cohort.program->account_families.size(); ++a) {
            cohort.accounts.push_back({zeros(), zeros()});
        }
    }
    if (costs_.has_jitter()) {
        cohort.key_first.resize(cohort.lanes);
        cohort.key_second.resize(cohort.lanes);
    }
    cohort.family_turn.assign(cohort.families.size(), 0);
    cohort.port_turn.assign(cohort.ports.size(), 0);
}

void Machine::apply_slow_ranks(const Roster& roster) {
    for (const SlowRank& slow : options_.slow_ranks) {
        PRISMLLM_ASSERT(slow.rank >= 0 && slow.rank < graph_.world_size && slow.factor > 0,
                        "slow ranks are checked with the deck");
        const auto rank = static_cast<std::size_t>(slow.rank);
        for (const auto& cohort : cohorts_) {
            if (cohort->number != roster.cohort_of[rank]) {
                continue;
            }
            if (cohort->factor.empty()) {
                cohort->factor.assign(cohort->lanes, factor_one);
            }
            cohort->factor[static_cast<std::size_t>(roster.lane_of[rank])] =
                fixed_factor(slow.factor);
        }
    }
}

void Machine::observe(const Roster& roster) {
    for (const std::int64_t chosen : options_.timeline_ranks) {
        PRISMLLM_ASSERT(chosen >= 0 && chosen < graph_.world_size,
                        "timeline ranks are checked with the deck");
        const auto rank = static_cast<std::size_t>(chosen);
        for (const auto& cohort : cohorts_) {
            if (cohort->number == roster.cohort_of[rank]) {
                cohort->observed.push_back(static_cast<std::size_t>(roster.lane_of[rank]));
            }
        }
    }
    for (const auto& cohort : cohorts_) {
        std::vector<std::size_t>& lanes = cohort->observed;
        std::sort(lanes.begin(), lanes.end());
        lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    }
}

}  // namespace prismllm::engine
