// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Collectives. Cohorts that share groups of a family form a component; the members of a
/// component meet in every call of the family, over several proxies where need be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <span>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "cohort.hpp"
#include "flights.hpp"
#include "roster.hpp"

namespace prismllm::engine {

class Meetings {
public:
    Meetings(const CostTable& costs, Flights& flights, Calls& calls)
        : costs_{costs}, flights_{flights}, calls_{calls} {}

    /// Find the components, open their channels, and tell every local cohort how its lanes
    /// stand. @param local [cohort of the roster], null where it lives elsewhere.
    void set_up(const Roster& roster, std::span<Cohort* const> local);

    /// The actor arrives at a collective, which counts as one pending part of it. The part ends
    /// here or once all others have arrived.
    void attend(Actor& actor, const CallOp& call);

    void begin_iteration(std::int64_t iteration) { iteration_ = iteration; }

    /// Local cohorts of the component that have not arrived at the actor's call.
    [[nodiscard]] std::vector<const Cohort*> missing_at(const Actor& actor,
                                                        const CallOp& call) const;
    [[nodiscard]] std::size_t peak_bytes() const { return peak_bytes_; }

private:
    struct Visit {
        Actor* actor = nullptr;
        const CallOp* call = nullptr;
    };
    struct Meeting {
        std::int64_t sequence = 0;
        std::vector<std::int64_t> tops;  ///< [group of the component]
        std::vector<Visit> visits;
    };
    struct Component {
        int channel = -1;          ///< -1: no other proxy has members
        std::size_t spanning = 0;  ///< groups shared with other proxies come first
        std::size_t groups = 0;    ///< with members here, or spanning
        std::vector<Cohort*> cohorts;
        std::list<Meeting> open;
    };
    friend class MeetingPlanner;

    [[nodiscard]] std::int64_t sequence_of(const Actor& actor, const CallOp& call) const;
    Meeting& meeting_for(Component& component, std::int64_t sequence);
    void attend_alone(Actor& actor, const CallOp& call, const FamilySite& site);
    void gather(const Actor& actor, const FamilySite& site, std::vector<std::int64_t>& tops) const;
    void conclude(Component& component, Meeting& meeting);
    void land(const Visit& visit, const std::vector<std::int64_t>& tops);

    const CostTable& costs_;
    Flights& flights_;
    Calls& calls_;
    std::deque<Component> components_;  ///< referred to by flights
    std::vector<std::int64_t> scratch_;
    std::int64_t iteration_ = 0;
    std::size_t bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace prismllm::engine
