// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Runs of kernels of one stream.
#include <cstddef>

#include "machine.hpp"

namespace prismllm::engine {

/// All ends within a segment are start + round(work so far * factor), so it does not matter
/// which of them anyone looks at.
void Machine::run_segment(Cohort& cohort, Actor& actor) {
    if (options_.live) {
        return run_live_segment(cohort, actor);
    }
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
        record(cohort, inner, slot, nullptr);
    }
    advance_by(actor.clock, segment.work_ps);
    actor.level = nullptr;
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
        record(cohort, inner, slot, nullptr);
    }
    work_until(segment.count);
    advance_by_work(actor.clock);
    actor.level = nullptr;
    actor.pc += 1 + segment.extra;
}

/// A kernel of the only lane, see compile. Records behind it are instructions of their own.
void Machine::run_live_segment(Cohort& cohort, Actor& actor) {
    const Instruction& segment = actor.current();
    const KernelOp& op = actor.program->kernels[segment.index];
    if (!segment.continues) {
        actor.live_start = actor.clock[0];
        actor.live_work = 0;
    }
    actor.live_work += work_of(cohort, 0, op);
    const std::uint32_t factor = cohort.factor.empty() ? factor_one : cohort.factor[0];
    const std::int64_t end = actor.live_start + scaled(actor.live_work, factor);
    if (!cohort.observed.empty()) {
        timeline_.add(cohort, 0, op.op, actor.clock[0], end);
    }
    actor.clock[0] = end;
    ++actor.pc;
}

/// Duration of one kernel on one lane before the lane's factor.
std::int64_t Machine::work_of(const Cohort& cohort, std::size_t lane, const KernelOp& op) const {
    if (options_.measured_ps != nullptr) {
        return (*options_.measured_ps)[op.op];
    }
    if (cohort.key_first.empty()) {
        return costs_.kernel(op.kernel);
    }
    return jittered(costs_.jitter(op.kernel),
                    byte_sum(random_bits(cohort.key_first[lane], cohort.key_second[lane],
                                         random_counter(op.op))));
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
            work += work_of(cohort, lane, op);
            const std::int64_t end = start + scaled(work, factor);
            timeline_.add(cohort, lane, op.op, from, end);
            from = end;
        }
    }
}

}  // namespace prismllm::engine
