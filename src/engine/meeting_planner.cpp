// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <vector>

#include "meetings.hpp"

namespace prismllm::engine {
namespace {

using graph::FamilyIndex;

/// Sets of cohorts that are merged; the lowest number stands for its set.
class Unions {
public:
    explicit Unions(std::size_t n) : parent_(n) {
        std::iota(parent_.begin(), parent_.end(), std::int32_t{0});
    }
    std::int32_t find(std::int32_t x) {
        while (parent_[static_cast<std::size_t>(x)] != x) {
            std::int32_t& up = parent_[static_cast<std::size_t>(x)];
            up = parent_[static_cast<std::size_t>(up)];
            x = up;
        }
        return x;
    }
    void merge(std::int32_t a, std::int32_t b) {
        a = find(a);
        b = find(b);
        parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }

private:
    std::vector<std::int32_t> parent_;
};

/// Number of the family among the families of a cohort's collectives, -1: none.
int place_of(const CallTable& table, FamilyIndex family) {
    for (std::size_t i = 0; i < table.families.size(); ++i) {
        if (table.families[i].family == family) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

/// Lanes that form outer x size x stride with a group a column, as DP and TP groups do.
bool find_mesh(const std::vector<std::uint32_t>& groups, lanes::Mesh& mesh) {
    const std::size_t n = groups.size();
    std::vector<std::uint32_t> distinct = groups;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const std::size_t group_count = distinct.size();
    if (n % group_count != 0) {
        return false;
    }
    mesh.size = n / group_count;
    const auto next = std::find(groups.begin() + 1, groups.end(), groups.front());
    mesh.stride = next == groups.end() ? 1 : static_cast<std::size_t>(next - groups.begin());
    const std::size_t block = mesh.size * mesh.stride;
    if (n % block != 0) {
        return false;
    }
    mesh.outer = n / block;
    // A column must be the same group all the way down, and no other column may have it.
    std::vector<std::uint8_t> seen(distinct.back() + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t top = i / block * block + i % mesh.stride;
        if (groups[i] != groups[top] || (i == top && seen[groups[i]]++ != 0)) {
            return false;
        }
    }
    return true;
}

}  // namespace

/// Plans one family: who shares groups with whom, on which proxies.
class MeetingPlanner {
public:
    MeetingPlanner(Meetings& meetings, const Roster& roster, FamilyIndex family)
        : meetings_{meetings},
          roster_{roster},
          family_{family},
          membership_{roster.membership(family)},
          unions_{roster.cohorts.size()},
          takes_part_(roster.cohorts.size()) {}

    void run(std::span<Cohort* const> local) {
        join_cohorts();
        make_components(local);
        number_groups();
        for (Cohort* cohort : local) {
            if (cohort != nullptr && place_of(*cohort->table, family_) >= 0) {
                settle(*cohort);
            }
        }
    }

private:
    struct Group {
        std::int32_t cohort = -1;  ///< of its first member
        std::int32_t proxy = -1;
        std::int32_t slot = -1;  ///< in its component
        bool spanning = false;
        bool in_use = false;
    };

    template <class Visit>
    void for_each_member(Visit&& visit) {
        for (std::size_t rank = 0; rank < roster_.cohort_of.size(); ++rank) {
            const std::int32_t g = membership_.group[rank];
            if (g >= 0) {
                visit(rank, groups_[static_cast<std::size_t>(g)]);
            }
        }
    }

    /// A group is in use if one of its members calls; then all others are waited for.
    void join_cohorts() {
        groups_.resize(static_cast<std::size_t>(roster_.graph.families[family_].group_count()));
        for_each_member([&](std::size_t rank, Group& group) {
            const std::int32_t cohort = roster_.cohort_of[rank];
            if (place_of(roster_.table_of(cohort), family_) >= 0) {
                group.in_use = true;
                takes_part_[static_cast<std::size_t>(cohort)] = 1;
            }
        });
        for_each_member([&](std::size_t rank, Group& group) {
            if (!group.in_use) {
                return;
            }
            const std::int32_t cohort = roster_.cohort_of[rank];
            takes_part_[static_cast<std::size_t>(cohort)] = 1;
            if (group.cohort < 0) {
                group.cohort = cohort;
                group.proxy = roster_.owner[rank];
            }
            group.spanning = group.spanning || group.proxy != roster_.owner[rank];
            unions_.merge(group.cohort, cohort);
        });
    }

    /// Components in order of their lowest cohort, which is the same order on all proxies.
    void make_components(std::span<Cohort* const> local) {
        component_of_.assign(roster_.cohorts.size(), -1);
        std::vector<std::vector<int>> proxies(roster_.cohorts.size());
        for (std::size_t c = 0; c < roster_.cohorts.size(); ++c) {
            if (takes_part_[c] != 0) {
                const auto root = unions_.find(static_cast<std::int32_t>(c));
                proxies[static_cast<std::size_t>(root)].push_back(roster_.cohorts[c].proxy);
            }
        }
        for (std::size_t root = 0; root < proxies.size(); ++root) {
            std::vector<int>& members = proxies[root];
            std::sort(members.begin(), members.end());
            members.erase(std::unique(members.begin(), members.end()), members.end());
            const int channel = members.size() > 1 ? meetings_.flights_.open_channel(members) : -1;
            if (std::find(members.begin(), members.end(), meetings_.flights_.self()) ==
                members.end()) {
                continue;
            }
            component_of_[root] = static_cast<int>(meetings_.components_.size());
            meetings_.components_.emplace_back().channel = channel;
        }
        for (std::size_t c = 0; c < local.size(); ++c) {
            if (local[c] != nullptr && takes_part_[c] != 0) {
                component(static_cast<std::int32_t>(c)).cohorts.push_back(local[c]);
            }
        }
    }

    int component_number(std::int32_t cohort) {
        return component_of_[static_cast<std::size_t>(unions_.find(cohort))];
    }
    Meetings::Component& component(std::int32_t cohort) {
        return meetings_.components_[static_cast<std::size_t>(component_number(cohort))];
    }

    /// Groups that span proxies first, in number order: their maxima are what is exchanged.
    void number_groups() {
        for (const bool spanning : {true, false}) {
            for (Group& group : groups_) {
                if (group.cohort < 0 || group.spanning != spanning ||
                    component_number(group.cohort) < 0 ||
                    (!spanning && group.proxy != meetings_.flights_.self())) {
                    continue;
                }
                Meetings::Component& home = component(group.cohort);
                group.slot = static_cast<std::int32_t>(home.groups++);
                home.spanning += spanning ? 1 : 0;
            }
        }
    }

    void settle(Cohort& cohort) {
        FamilySite& site =
            cohort.families[static_cast<std::size_t>(place_of(*cohort.table, family_))];
        const auto& shapes = roster_.graph.group_shape[family_];
        for (const std::int32_t rank : cohort.ranks) {
            const std::int32_t g = membership_.group[static_cast<std::size_t>(rank)];
            if (g < 0) {
                site.reachable = false;
                return;
            }
            site.groups.push_back(
                static_cast<std::uint32_t>(groups_[static_cast<std::size_t>(g)].slot));
            site.shapes.lanes.push_back(shapes[static_cast<std::size_t>(g)]);
        }
        site.shapes.settle();
        site.component = component_number(cohort.number);
        const Meetings::Component& home = component(cohort.number);
        site.group_count = home.groups;
        site.alone = home.channel < 0 && home.cohorts.size() == 1;
        const bool single = std::all_of(site.groups.begin(), site.groups.end(),
                                        [&](std::uint32_t g) { return g == site.groups.front(); });
        site.has_mesh = find_mesh(site.groups, site.mesh);
        if (site.alone && site.has_mesh) {
            site.form = FamilySite::Form::mesh;
            site.groups = {};
        } else if (single) {
            site.form = FamilySite::Form::single;
            site.groups.resize(1);
        }
        site.groups.shrink_to_fit();
    }

    Meetings& meetings_;
    const Roster& roster_;
    FamilyIndex family_;
    const graph::Membership& membership_;
    Unions unions_;
    std::vector<std::uint8_t> takes_part_;  ///< [cohort]
    std::vector<Group> groups_;
    std::vector<int> component_of_;  ///< [lowest cohort of a component], -1: not here
};

void Meetings::set_up(const Roster& roster, std::span<Cohort* const> local) {
    for (std::size_t f = 0; f < roster.graph.families.size(); ++f) {
        const auto family = static_cast<FamilyIndex>(f);
        if (roster.is_used(family)) {
            MeetingPlanner{*this, roster, family}.run(local);
        }
    }
}

}  // namespace prismllm::engine
