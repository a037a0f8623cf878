// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <tuple>

#include "machine.hpp"

namespace prismllm::engine {

const LaneResults& Machine::results() {
    if (stale_) {
        if (options_.account) {
            refresh_accounts();
        }
        results_.timeline = timeline_.entries;
        std::sort(results_.timeline.begin(), results_.timeline.end(),
                  [](const TimelineEntry& a, const TimelineEntry& b) {
                      return std::tie(a.rank, a.start_ps, a.iteration, a.op) <
                             std::tie(b.rank, b.start_ps, b.iteration, b.op);
                  });
        stale_ = false;
    }
    return results_;
}

void Machine::refresh_accounts() {
    results_.accounts.resize(results_.ranks.size());
    for (std::size_t c = 0; c < cohorts_.size(); ++c) {
        const Cohort& cohort = *cohorts_[c];
        const bool computes = !cohort.actors.empty() && cohort.actors.front().program->stream == 0;
        for (std::size_t lane = 0; lane < cohort.lanes; ++lane) {
            LaneAccount& account = results_.accounts[static_cast<std::size_t>(place_[c][lane])];
            account.communication_ps.assign(graph_.families.size(), 0);
            account.skew_ps.assign(graph_.families.size(), 0);
            account.other_ps = cohort.other == nullptr ? 0 : cohort.other[lane];
            std::int64_t waits = account.other_ps;
            for (std::size_t a = 0; a < cohort.accounts.size(); ++a) {
                const graph::FamilyIndex family = cohort.program->account_families[a];
                account.communication_ps[family] = cohort.accounts[a].communication[lane];
                account.skew_ps[family] = cohort.accounts[a].skew[lane];
                waits += account.communication_ps[family] + account.skew_ps[family];
            }
            // The compute stream is either at work or in a booked wait.
            account.busy_ps = computes ? cohort.actors.front().clock[lane] - waits : 0;
        }
    }
}

double Machine::state_bytes_per_participant() const {
    std::size_t bytes = meetings_.peak_bytes() + transfers_.state_bytes() + flights_.peak_bytes();
    std::size_t lane_count = 0;
    for (std::size_t c = 0; c < cohorts_.size(); ++c) {
        bytes += cohorts_[c]->state_bytes() + place_[c].capacity() * sizeof(std::int32_t);
        lane_count += cohorts_[c]->lanes;
    }
    return lane_count == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(lane_count);
}

}  // namespace prismllm::engine
