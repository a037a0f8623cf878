// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "machine.hpp"

namespace prismllm::engine {
namespace {

/// Live events of a cohort (of one value a lane) above which streams other than compute hold
/// their records back until somebody asks for them. It bounds memory only; results do not depend
/// on it.
constexpr std::size_t eager_events = 4;

/// Some stream of the cohort waits for an event that this actor records.
bool is_asked_for(const Cohort& cohort, const Actor& actor) {
    return std::any_of(cohort.actors.begin(), cohort.actors.end(), [&](const Actor& sibling) {
        return sibling.state == ActorState::event &&
               &cohort.actors[sibling.current().recorder] == &actor;
    });
}

/// Place of the stream's next instruction in issue order.
std::uint32_t next_op(const Actor& actor) {
    return actor.pc < actor.program->code.size() ? actor.current().op : 0;
}

bool resume_deferred(Cohort& cohort) {
    bool any = false;
    for (Actor& actor : cohort.actors) {
        if (actor.state == ActorState::deferred) {
            actor.state = ActorState::runnable;
            any = true;
        }
    }
    return any;
}

}  // namespace

/// Nobody can go on otherwise: held-back records are let go, one a stream.
bool Machine::run_deferred() {
    bool any = false;
    for (const auto& cohort : cohorts_) {
        for (Actor& actor : cohort->actors) {
            if (actor.state == ActorState::deferred) {
                actor.state = ActorState::runnable;
                actor.demanded = true;
                work_.push(*cohort);
                any = true;
            }
        }
    }
    return any;
}

/// Streams go on in issue order as far as they can: events are then used up soon after they were
/// recorded, which keeps few of them alive.
void Machine::advance(Cohort& cohort) {
    for (;;) {
        Actor* next = nullptr;
        std::uint32_t first = every_op, second = every_op;
        for (Actor& actor : cohort.actors) {
            if (actor.state != ActorState::runnable) {
                continue;
            }
            const std::uint32_t op = next_op(actor);
            if (op >= issued_) {
                continue;
            }
            if (next == nullptr || op < first) {
                second = first;
                first = op;
                next = &actor;
            } else {
                second = std::min(second, op);
            }
        }
        if (next != nullptr) {
            run(cohort, *next, second);
        } else if (cohort.events.live() >= eager_events || !resume_deferred(cohort)) {
            return;
        }
    }
}

/// Run one stream until it blocks or another one comes before it.
void Machine::run(Cohort& cohort, Actor& actor, std::uint32_t until_op) {
    cohort.woken = false;
    do {
        if (actor.pc == actor.program->code.size()) {
            actor.state = ActorState::finished;
            --unfinished_;
            return;
        }
        if (!step(cohort, actor)) {
            return;
        }
        ++steps_;
    } while (!cohort.woken && next_op(actor) <= until_op && next_op(actor) < issued_);
}

/// Execute the current instruction; false if the actor is blocked.
bool Machine::step(Cohort& cohort, Actor& actor) {
    switch (actor.current().step) {
        case Step::segment:
            run_segment(cohort, actor);
            return true;
        case Step::record:
            return record_event(cohort, actor);
        case Step::wait:
            return wait_for_event(cohort, actor);
        case Step::calls:
            return make_calls(actor);
        case Step::inner_record:
            break;
    }
    PRISMLLM_ASSERT(false, "an inner record belongs to the segment before it");
    return true;
}

void Machine::record(Cohort& cohort, const Instruction& instruction, std::int64_t* slot,
                     const lanes::Mesh* level) {
    cohort.events.enter({instruction.index, instruction.extra, slot, level});
    for (Actor& sibling : cohort.actors) {
        if (sibling.state == ActorState::event && sibling.current().index == instruction.index) {
            sibling.state = ActorState::runnable;
            cohort.woken = true;
        }
    }
}

bool Machine::record_event(Cohort& cohort, Actor& actor) {
    if (!options_.live && actor.level == nullptr && cohort.events.live() >= eager_events &&
        actor.program->stream != 0 && !actor.demanded && !is_asked_for(cohort, actor)) {
        actor.state = ActorState::deferred;
        return false;
    }
    actor.demanded = false;
    if (actor.level != nullptr) {
        std::int64_t* slot = cohort.level_pool.take();
        lanes::first_of_groups(slot, actor.clock, *actor.level);
        record(cohort, actor.current(), slot, actor.level);
    } else {
        std::int64_t* slot = cohort.pool.take();
        lanes::copy(slot, actor.clock, cohort.lanes);
        record(cohort, actor.current(), slot, nullptr);
    }
    ++actor.pc;
    return true;
}

bool Machine::wait_for_event(Cohort& cohort, Actor& actor) {
    const Instruction& wait = actor.current();
    LiveEvents::Entry* entry = cohort.events.find(wait.index);
    if (entry == nullptr) {
        actor.state = ActorState::event;
        Actor& recorder = cohort.actors[wait.recorder];
        if (recorder.state == ActorState::deferred) {
            recorder.state = ActorState::runnable;
        }
        return false;
    }
    const std::int64_t* until = entry->slot;
    if (entry->level != nullptr) {
        spread_.resize(cohort.lanes);
        lanes::spread_over_groups(spread_.data(), entry->slot, *entry->level);
        until = spread_.data();
    }
    if (actor.accounted) {
        calls_.book_wait(actor, until, wait.attribution);
    } else {
        lanes::raise(actor.clock, until, cohort.lanes);
    }
    actor.level = nullptr;
    if (--entry->waits == 0) {
        (entry->level != nullptr ? cohort.level_pool : cohort.pool).give(entry->slot);
        cohort.events.remove(*entry);
    }
    ++actor.pc;
    return true;
}

bool Machine::make_calls(Actor& actor) {
    const Instruction& instruction = actor.current();
    const std::uint32_t pc = actor.pc;
    if (actor.posted == 0 && actor.ends == nullptr) {
        calls_.enter(actor);
    }
    while (actor.posted < instruction.count) {
        const CallOp& call = actor.program->calls[instruction.index + actor.posted];
        if (call.ordered && !calls_.has_turn(actor, call, iteration_)) {
            actor.state = ActorState::turn;
            return false;
        }
        ++actor.posted;
        ++steps_;
        if (call.ordered) {
            calls_.pass_turn(actor, call);
        }
        ++actor.pending;  // held while the parts are posted
        if (call.kind == CallKind::collective) {
            ++actor.pending;
            meetings_.attend(actor, call);
        } else {
            transfers_.post(actor, call);
        }
        calls_.end_part(actor);
        if (actor.pc != pc) {
            return true;
        }
    }
    actor.state = ActorState::calls;
    return false;
}

}  // namespace prismllm::engine
