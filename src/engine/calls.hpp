// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What collectives and point-to-point calls have in common: how an actor enters a call
/// instruction, where ends are put, how it goes on, and how its time is booked.
#pragma once

#include <cstdint>

#include "cohort.hpp"

namespace prismllm::engine {

class Calls {
public:
    Calls(const CostTable& costs, WorkList& work, Timeline& timeline)
        : costs_{costs}, work_{work}, timeline_{timeline} {}

    /// First look at a call instruction: keep the ends apart where the ready times are needed.
    void enter(Actor& actor);
    /// One part of the actor's calls has ended. The last one (when all are posted) lets it go on.
    void end_part(Actor& actor);
    /// End of a call on one lane.
    void land_lane(Actor& actor, const CallOp& call, std::size_t lane, std::int64_t end) {
        if (!actor.cohort->observed.empty() && actor.cohort->is_observed(lane)) {
            timeline_.add(*actor.cohort, lane, call.op, actor.clock[lane], end);
        }
        std::int64_t& latest = actor.landing()[lane];
        latest = latest > end ? latest : end;
    }
    /// The earlier calls of the communicator have all started.
    [[nodiscard]] bool has_turn(const Actor& actor, const CallOp& call,
                                std::int64_t iteration) const;
    /// The call has started: the next one of its communicator may.
    void pass_turn(Actor& actor, const CallOp& call);
    /// Wait of the compute stream until `until`, booked to the call behind it.
    void book_wait(Actor& actor, const std::int64_t* until, std::uint32_t attribution);

private:
    void leave(Actor& actor);

    const CostTable& costs_;
    WorkList& work_;
    Timeline& timeline_;
};

/// Shapes of the call's groups, or of its pairs, over the lanes.
[[nodiscard]] inline const LaneShapes& shapes_of(const Cohort& cohort, CallKind kind,
                                                 std::uint16_t place) {
    return kind == CallKind::collective ? cohort.families[place].shapes
                                        : cohort.ports[place].shapes;
}

}  // namespace prismllm::engine
