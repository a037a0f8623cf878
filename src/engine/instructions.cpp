// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "machine.hpp"

namespace prismllm::engine {
namespace {

/// Live events of a cohort above which streams other than compute hold their records back until
/// somebody asks for them. It bounds memory only; results do not depend on it.
constexpr std::size_t eager_events = 6;

/// Some stream of the cohort waits for an event that this actor records.
bool is_asked_for(const Cohort& cohort, const Actor& actor) {
    return std::any_of(cohort.actors.begin(), cohort.actors.end(), [&](const Actor& sibling) {
        return sibling.state == ActorState::event &&
               &cohort.actors[sibling.current().recorder] == &actor;
    });
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

/// The compute stream goes first, the others when it is blocked: they run no further ahead than
/// they must, which keeps few events alive.
void Machine::advance(Cohort& cohort) {
    for (;;) {
        const auto next =
            std::find_if(cohort.actors.begin(), cohort.actors.end(),
                         [](const Actor& a) { return a.state == ActorState::runnable; });
        if (next != cohort.actors.end()) {
            run(cohort, *next);
        } else if (cohort.events.live() >= eager_events || !resume_deferred(cohort)) {
            return;
        }
    }
}

void Machine::run(Cohort& cohort, Actor& actor) {
    cohort.woken = false;
    const std::size_t length = actor.program->code.size();
    while (actor.pc < length) {
        if (!step(cohort, actor)) {
            return;
        }
        ++steps_;
        if (cohort.woken) {
            return;  // a stream with precedence may have become runnable
        }
    }
    actor.state = ActorState::finished;
    --unfinished_;
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

/// All ends within a segment are start + round(work so far * factor), so it does not matter
/// which of them anyone looks at.
void Machine::run_segment(Cohort& cohort, Actor& actor) {
    if (!cohort.observed.empty()) {
        note_segment(cohort, actor);
    }
    if (!cohort.key_first.empty()) {
        return run_jittered_segment(cohort, actor);
    }
    const Instruction& segment = actor.current();
    const auto advance_by = [&](std::int64_t* out, std::int64_t work) {
        if (cohort.factor.empty()) {
            lanes::advance(out, actor.clock, cohort.lanes, work);
        } else {
            lanes::advance_scaled(out, actor.clock, cohort.factor.data(), cohort.lanes, work);
        }
    };
    for (std::uint32_t i = 1; i <= segment.extra; ++i) {
        const Instruction& inner = actor.program->code[actor.pc + i];
        std::int64_t* slot = cohort.pool.take();
        advance_by(slot, inner.work_ps);
        record(cohort, inner, slot);
    }
    advance_by(actor.clock, segment.work_ps);
    actor.pc += 1 + segment.extra;
}

void Machine::run_jittered_segment(Cohort& cohort, Actor& actor) {
    const Instruction& segment = actor.current();
    work_done_.assign(cohort.lanes, 0);
    const auto advance_by_work = [&](std::int64_t* out) {
        if (cohort.factor.empty()) {
            lanes::advance_each(out, actor.clock, work_done_.data(), cohort.lanes);
        } else {
            lanes::advance_each_scaled(out, actor.clock, work_done_.data(), cohort.factor.data(),
                                       cohort.lanes);
        }
    };
    std::uint32_t done = 0;
    const auto work_until = [&](std::uint32_t kernel) {
        kernels_.clear();
        for (; done < kernel; ++done) {
            const KernelOp& op = actor.program->kernels[segment.index + done];
            kernels_.push_back({costs_.jitter(op.kernel), random_counter(op.op)});
        }
        lanes::add_jittered(work_done_.data(), cohort.key_first.data(), cohort.key_second.data(),
                            cohort.lanes, kernels_);
    };
    for (std::uint32_t i = 1; i <= segment.extra; ++i) {
        const Instruction& inner = actor.program->code[actor.pc + i];
        work_until(inner.count);
        std::int64_t* slot = cohort.pool.take();
        advance_by_work(slot);
        record(cohort, inner, slot);
    }
    work_until(segment.count);
    advance_by_work(actor.clock);
    actor.pc += 1 + segment.extra;
}

/// Timeline of the kernels of a segment, lane by lane, by the same arithmetic as the loops.
void Machine::note_segment(const Cohort& cohort, const Actor& actor) {
    const Instruction& segment = actor.current();
    for (const std::size_t lane : cohort.observed) {
        const std::int64_t start = actor.clock[lane];
        const std::uint32_t factor = cohort.factor.empty() ? factor_one : cohort.factor[lane];
        std::int64_t work = 0;
        std::int64_t from = start;
        for (std::uint32_t k = 0; k < segment.count; ++k) {
            const KernelOp& op = actor.program->kernels[segment.index + k];
            work +=
                cohort.key_first.empty()
                    ? costs_.kernel(op.kernel)
                    : jittered(costs_.jitter(op.kernel),
                               byte_sum(random_bits(cohort.key_first[lane], cohort.key_second[lane],
                                                    random_counter(op.op))));
            const std::int64_t end = start + scaled(work, factor);
            timeline_.add(cohort, lane, op.op, from, end);
            from = end;
        }
    }
}

void Machine::record(Cohort& cohort, const Instruction& instruction, std::int64_t* slot) {
    cohort.events.enter(instruction.index, instruction.extra, slot);
    for (Actor& sibling : cohort.actors) {
        if (sibling.state == ActorState::event && sibling.current().index == instruction.index) {
            sibling.state = ActorState::runnable;
            cohort.woken = true;
        }
    }
}

bool Machine::record_event(Cohort& cohort, Actor& actor) {
    if (cohort.events.live() >= eager_events && actor.program->stream != 0 && !actor.demanded &&
        !is_asked_for(cohort, actor)) {
        actor.state = ActorState::deferred;
        return false;
    }
    actor.demanded = false;
    std::int64_t* slot = cohort.pool.take();
    lanes::copy(slot, actor.clock, cohort.lanes);
    record(cohort, actor.current(), slot);
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
    std::int64_t* slot = entry->slot;
    if (actor.accounted) {
        calls_.book_wait(actor, slot, wait.attribution);
    } else {
        lanes::raise(actor.clock, slot, cohort.lanes);
    }
    if (cohort.events.leave(*entry)) {
        cohort.pool.give(slot);
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
