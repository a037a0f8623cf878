// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <cstddef>

#include "stall_report.hpp"

namespace prismllm::engine {
namespace {

/// Fruitless looks at the exchange before records that were held back are let go, and before a
/// vote is called: messages that are on their way deserve a moment.
constexpr int patience_for_records = 16;
constexpr int patience_for_vote = 32;
constexpr int advances_between_polls = 64;  ///< of `cancelled`

}  // namespace

Status Machine::run_iteration() {
    PRISMLLM_ASSERT(!broken_, "no iteration follows a failed one");
    if (!begun_) {
        start_iteration();
    }
    release_ops(every_op);
    Status status = drive();
    if (!status) {
        broken_ = true;
        return status;
    }
    end_iteration();
    begun_ = false;
    return {};
}

void Machine::start_iteration() {
    begun_ = true;
    meetings_.begin_iteration(iteration_);
    transfers_.begin_iteration(iteration_);
    watch_.begin_iteration();
    timeline_.iteration = static_cast<std::int32_t>(iteration_);
    unfinished_ = 0;
    for (const auto& cohort : cohorts_) {
        pause_lanes(*cohort);
        draw_keys(*cohort);
        for (Actor& actor : cohort->actors) {
            actor.pc = 0;
            actor.level = nullptr;
            actor.state = ActorState::runnable;
            ++unfinished_;
        }
        work_.push(*cohort);
    }
    stale_ = true;
}

void Machine::pause_lanes(Cohort& cohort) const {
    for (const Pause& pause : options_.pauses) {
        const auto found = std::ranges::lower_bound(cohort.ranks, pause.rank);
        if (pause.iteration != iteration_ || found == cohort.ranks.end() || *found != pause.rank) {
            continue;
        }
        const auto lane = static_cast<std::size_t>(found - cohort.ranks.begin());
        std::int64_t free = 0;
        for (const Actor& actor : cohort.actors) {
            free = std::max(free, actor.clock[lane]);
        }
        free += pause.duration_ps;
        for (Actor& actor : cohort.actors) {
            if (actor.accounted) {
                cohort.book_other(lane, free - actor.clock[lane]);
            }
            actor.clock[lane] = free;
            actor.level = nullptr;
        }
    }
}

void Machine::draw_keys(Cohort& cohort) const {
    for (std::size_t lane = 0; lane < cohort.key_first.size(); ++lane) {
        const RandomKey key =
            random_key(options_.seed, static_cast<std::uint64_t>(cohort.ranks[lane]),
                       static_cast<std::uint64_t>(iteration_));
        cohort.key_first[lane] = key.first;
        cohort.key_second[lane] = key.second;
    }
}

Status Machine::drive() {
    for (int idle = 0;;) {
        drain();
        if (flights_.poll()) {
            idle = 0;
            continue;
        }
        if (!cancelled_ && (exchange_.size() == 1 || idle >= patience_for_records) &&
            run_deferred()) {
            continue;
        }
        switch (judge(idle)) {
            case StallWatch::Verdict::done:
                settle();
                return {};
            case StallWatch::Verdict::stalled:
                return tl::unexpected{stalled()};
            case StallWatch::Verdict::cancelled:
                return tl::unexpected{interrupted()};
            case StallWatch::Verdict::open:
                break;
        }
        ++idle;
        exchange_.relax();
    }
}

/// There is nothing to run: how the job stands, after `idle` fruitless looks at the exchange.
StallWatch::Verdict Machine::judge(int idle) {
    cancelled_ = cancelled_ || (options_.cancelled && options_.cancelled());
    if (exchange_.size() == 1) {
        return cancelled_         ? StallWatch::Verdict::cancelled
               : unfinished_ == 0 ? StallWatch::Verdict::done
                                  : StallWatch::Verdict::stalled;
    }
    if (cancelled_ || unfinished_ == 0 || idle > patience_for_vote || watch_.is_voting()) {
        return watch_.vote({unfinished_ > 0, cancelled_, steps_});
    }
    return StallWatch::Verdict::open;
}

/// Everything has been received; our own tickets are still to be taken back.
void Machine::settle() {
    while (!flights_.none()) {
        if (!flights_.poll()) {
            exchange_.relax();
        }
    }
}

void Machine::drain() {
    int advances = 0;
    while (!cancelled_) {
        Cohort* cohort = work_.pop();
        if (cohort == nullptr) {
            return;
        }
        advance(*cohort);
        cohort->queued = false;
        if (!flights_.none()) {
            flights_.poll();
        }
        if (++advances % advances_between_polls == 0) {
            cancelled_ = options_.cancelled && options_.cancelled();
        }
    }
}

void Machine::end_iteration() {
    const std::size_t first = results_.end_ps.size();
    results_.end_ps.resize(first + results_.ranks.size(), 0);
    for (std::size_t c = 0; c < cohorts_.size(); ++c) {
        const Cohort& cohort = *cohorts_[c];
        for (const Actor& actor : cohort.actors) {
            for (std::size_t lane = 0; lane < cohort.lanes; ++lane) {
                std::int64_t& end =
                    results_.end_ps[first + static_cast<std::size_t>(place_[c][lane])];
                end = std::max(end, actor.clock[lane]);
            }
        }
        participant_ops_ += cohort.program->timed_ops * static_cast<std::int64_t>(cohort.lanes);
    }
    ++iteration_;
}

Error Machine::interrupted() const {
    return {ErrorCode::interrupted,
            fmt::format("iteration {} was interrupted (a signal asked for it). Run the job again",
                        iteration_)};
}

Error Machine::stalled() const {
    return {ErrorCode::job_failed,
            stall_report({graph_, cohorts_, meetings_, transfers_, iteration_})};
}

}  // namespace prismllm::engine
