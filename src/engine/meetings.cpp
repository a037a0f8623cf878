// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "meetings.hpp"

#include <algorithm>
#include <limits>

namespace prismllm::engine {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();

}  // namespace

std::int64_t Meetings::sequence_of(const Actor& actor, const CallOp& call) const {
    return iteration_ * actor.cohort->table->families[call.place].calls + call.sequence;
}

Meetings::Meeting& Meetings::meeting_for(Component& component, std::int64_t sequence) {
    const auto found = std::find_if(component.open.begin(), component.open.end(),
                                    [&](const Meeting& m) { return m.sequence == sequence; });
    if (found != component.open.end()) {
        return *found;
    }
    Meeting& meeting = component.open.emplace_back();
    meeting.sequence = sequence;
    meeting.tops.assign(component.groups, never);
    bytes_ += component.groups * sizeof(std::int64_t);
    peak_bytes_ = std::max(peak_bytes_, bytes_);
    return meeting;
}

void Meetings::attend(Actor& actor, const CallOp& call) {
    const FamilySite& site = actor.cohort->families[call.place];
    if (!site.reachable) {
        return;
    }
    if (site.alone) {
        attend_alone(actor, call, site);
        return calls_.end_part(actor);
    }
    Component& component = components_[static_cast<std::size_t>(site.component)];
    Meeting& meeting = meeting_for(component, sequence_of(actor, call));
    gather(actor, site, meeting.tops);
    meeting.visits.push_back({&actor, &call});
    if (meeting.visits.size() < component.cohorts.size()) {
        return;
    }
    if (component.channel < 0) {
        return conclude(component, meeting);
    }
    flights_.maximum(component.channel, std::span{meeting.tops}.first(component.spanning),
                     [this, &component, &meeting] { conclude(component, meeting); });
}

void Meetings::attend_alone(Actor& actor, const CallOp& call, const FamilySite& site) {
    Cohort& cohort = *actor.cohort;
    if (site.form != FamilySite::Form::mesh) {
        scratch_.assign(site.group_count, never);
        gather(actor, site, scratch_);
        return land({&actor, &call}, scratch_);
    }
    const LaneCost cost{costs_, call.communication, site.shapes};
    if (cost.is_uniform() && cohort.observed.empty() && actor.ends == nullptr) {
        return lanes::group_maximum(actor.clock, actor.clock, site.mesh, cost.uniform());
    }
    scratch_.resize(cohort.lanes);
    lanes::group_maximum(scratch_.data(), actor.clock, site.mesh, 0);
    for (std::size_t lane = 0; lane < cohort.lanes; ++lane) {
        calls_.land_lane(actor, call, lane, scratch_[lane] + cost.of(lane));
    }
}

void Meetings::gather(const Actor& actor, const FamilySite& site,
                      std::vector<std::int64_t>& tops) const {
    const std::size_t n = actor.cohort->lanes;
    if (site.form == FamilySite::Form::single) {
        std::int64_t& top = tops[site.groups.front()];
        top = std::max(top, lanes::maximum(actor.clock, n));
        return;
    }
    for (std::size_t lane = 0; lane < n; ++lane) {
        std::int64_t& top = tops[site.groups[lane]];
        top = std::max(top, actor.clock[lane]);
    }
}

void Meetings::conclude(Component& component, Meeting& meeting) {
    for (const Visit& visit : meeting.visits) {
        land(visit, meeting.tops);
        calls_.end_part(*visit.actor);
    }
    bytes_ -= component.groups * sizeof(std::int64_t);
    component.open.remove_if([&](const Meeting& m) { return &m == &meeting; });
}

void Meetings::land(const Visit& visit, const std::vector<std::int64_t>& tops) {
    Actor& actor = *visit.actor;
    const Cohort& cohort = *actor.cohort;
    const FamilySite& site = cohort.families[visit.call->place];
    const LaneCost cost{costs_, visit.call->communication, site.shapes};
    const bool single = site.form == FamilySite::Form::single;
    if (cost.is_uniform() && cohort.observed.empty()) {
        const std::int64_t uniform = cost.uniform();
        std::int64_t* landing = actor.landing();
        for (std::size_t lane = 0; lane < cohort.lanes; ++lane) {
            const std::int64_t end = tops[site.groups[single ? 0 : lane]] + uniform;
            landing[lane] = std::max(landing[lane], end);
        }
        return;
    }
    for (std::size_t lane = 0; lane < cohort.lanes; ++lane) {
        const std::int64_t top = tops[site.groups[single ? 0 : lane]];
        calls_.land_lane(actor, *visit.call, lane, top + cost.of(lane));
    }
}

std::vector<const Cohort*> Meetings::missing_at(const Actor& actor, const CallOp& call) const {
    const FamilySite& site = actor.cohort->families[call.place];
    std::vector<const Cohort*> missing;
    if (!site.reachable || site.component < 0) {
        return missing;
    }
    const Component& component = components_[static_cast<std::size_t>(site.component)];
    const std::int64_t sequence = sequence_of(actor, call);
    for (const Meeting& meeting : component.open) {
        if (meeting.sequence != sequence) {
            continue;
        }
        for (const Cohort* cohort : component.cohorts) {
            const bool came =
                std::any_of(meeting.visits.begin(), meeting.visits.end(),
                            [&](const Visit& visit) { return visit.actor->cohort == cohort; });
            if (!came) {
                missing.push_back(cohort);
            }
        }
    }
    return missing;
}

}  // namespace prismllm::engine
