// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <algorithm>

namespace prismllm::engine {

namespace {

/// After a single collective the clocks of its groups agree.
const lanes::Mesh* level_after(const Actor& actor) {
    const Instruction& instruction = actor.current();
    const CallOp& call = actor.program->calls[instruction.index];
    if (instruction.count != 1 || call.kind != CallKind::collective) {
        return nullptr;
    }
    const FamilySite& site = actor.cohort->families[call.place];
    return site.has_mesh && site.mesh.size >= Cohort::least_level ? &site.mesh : nullptr;
}

}  // namespace

void Calls::enter(Actor& actor) {
    if (actor.current().count == 1 && !actor.accounted) {
        return;
    }
    actor.ends = actor.cohort->pool.take();
    lanes::copy(actor.ends, actor.clock, actor.cohort->lanes);
}

void Calls::end_part(Actor& actor) {
    --actor.pending;
    if (actor.pending == 0 && actor.posted == actor.current().count) {
        leave(actor);
    }
}

void Calls::leave(Actor& actor) {
    Cohort& cohort = *actor.cohort;
    if (actor.ends != nullptr) {
        if (actor.accounted) {
            book_wait(actor, actor.ends, actor.current().attribution);
            cohort.pool.give(actor.ends);
        } else {
            cohort.pool.give(actor.clock);
            actor.clock = actor.ends;
        }
        actor.ends = nullptr;
    }
    actor.level = level_after(actor);
    actor.posted = 0;
    ++actor.pc;
    actor.state = ActorState::runnable;
    work_.push(cohort);
}

bool Calls::has_turn(const Actor& actor, const CallOp& call, std::int64_t iteration) const {
    const Cohort& cohort = *actor.cohort;
    const std::size_t place = call.place;
    const bool collective = call.kind == CallKind::collective;
    const std::int64_t calls =
        collective ? cohort.table->families[place].calls : cohort.table->ports[place].calls;
    const std::int64_t turn = collective ? cohort.family_turn[place] : cohort.port_turn[place];
    return turn == iteration * calls + call.sequence;
}

void Calls::pass_turn(Actor& actor, const CallOp& call) {
    Cohort& cohort = *actor.cohort;
    ++(call.kind == CallKind::collective ? cohort.family_turn : cohort.port_turn)[call.place];
    for (Actor& sibling : cohort.actors) {
        if (sibling.state == ActorState::turn) {
            sibling.state = ActorState::runnable;
            work_.push(cohort);
        }
    }
}

void Calls::book_wait(Actor& actor, const std::int64_t* until, std::uint32_t attribution) {
    Cohort& cohort = *actor.cohort;
    const Attribution& a = cohort.program->attributions[attribution];
    if (a.account == Attribution::other) {
        return lanes::raise_other(actor.clock, until, cohort.other_waits(), cohort.lanes);
    }
    const Account& account = cohort.accounts[a.account];
    const LaneCost cost{costs_, a.communication, shapes_of(cohort, a.kind, a.place)};
    if (cost.is_uniform()) {
        return lanes::raise_accounted(actor.clock, until, account.communication, account.skew,
                                      cohort.lanes, cost.uniform());
    }
    for (std::size_t lane = 0; lane < cohort.lanes; ++lane) {
        const std::int64_t rise = std::max<std::int64_t>(until[lane] - actor.clock[lane], 0);
        const std::int64_t part = std::min(rise, cost.of(lane));
        account.communication[lane] += part;
        account.skew[lane] += rise - part;
        actor.clock[lane] += rise;
    }
}

}  // namespace prismllm::engine
