// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "engine_pace.hpp"

#include <algorithm>
#include <thread>

#include "call_keys.hpp"

namespace prismllm::emulation {

using graph::OpKind;

std::int64_t VirtualPace::behind(std::size_t op, const graph::Op& listed) {
    called_ = called_ || listed.kind == OpKind::communicate;
    return Pace::behind(op, listed);
}

void VirtualPace::done(std::size_t count) {
    if (!called_) {
        return;
    }
    called_ = false;
    const auto begin = Clock::now();
    engine_.issue(count);
    spent_ += Clock::now() - begin;
    ++times_;
}

WallPace::WallPace(engine::Engine& engine, const graph::ExecutionGraph& graph, bool modelled,
                   FollowingExecutor& rank)
    : engine_{engine}, graph_{graph}, modelled_{modelled}, rank_{rank}, epoch_{Clock::now()} {}

std::int64_t WallPace::now_ps() const {
    return picoseconds(Clock::now() - epoch_);
}

void WallPace::set_back(std::int64_t instant) {
    const std::int64_t away = now_ps() - instant;
    epoch_ += std::chrono::nanoseconds{away / 1000};
    punctuality_.held_ps += std::max<std::int64_t>(away, 0);
}

bool WallPace::wait_until(std::int64_t instant, const std::function<bool()>& cancelled) {
    constexpr std::int64_t near_ps = 200'000'000;  // a sleep lasts longer than it is told to
    for (std::int64_t left = instant - now_ps(); left > 0; left = instant - now_ps()) {
        if (cancelled && cancelled()) {
            return false;
        }
        if (left > near_ps) {
            rank_.beat();
            std::this_thread::sleep_for(std::chrono::microseconds{50});
        } else {
            std::this_thread::yield();  // cores may be fewer than processes
        }
    }
    return true;
}

void WallPace::note_late(std::int64_t instant, std::int64_t asked) {
    ++punctuality_.waits;
    const std::int64_t late = now_ps() - std::max(instant, asked);
    if (now_ps() > instant && late > 0) {
        ++punctuality_.late;
        punctuality_.late_ps += late;
        punctuality_.latest_ps = std::max(punctuality_.latest_ps, late);
    }
}

std::int64_t WallPace::gate(std::uint8_t stream, std::int64_t since) {
    engine_.issue(issued_);
    hands_over_ = false;
    const bool asks = !engine_.is_free(stream);
    const std::int64_t asked = now_ps();
    rank_.set_awaits_answer(asks);
    const Expected<std::int64_t> free = engine_.await_stream(stream);
    rank_.set_awaits_answer(false);
    if (!free) {
        throw StepStopped{free.error()};
    }
    const std::int64_t instant = modelled_ ? *free : std::max(*free, since);
    if (asks) {
        note_late(instant, asked);
    }
    if (now_ps() > instant) {
        set_back(instant);
    }
    Status go_on;
    wait_until(instant, [&] {
        engine_.issue(issued_);  // others may need this process to pass on what they compute
        go_on = engine_.check_cancelled();
        return !go_on;
    });
    if (!go_on) {
        throw StepStopped{go_on.error()};
    }
    return *free;
}

void WallPace::begin_step() {
    engine_.begin_iteration();
    issued_ = 0;
    set_back(end_ps_);  // nothing of the job happens between two iterations
}

void WallPace::before(std::size_t op, const graph::Op& listed) {
    begin_ps_ = now_ps();
    if (listed.kind == OpKind::kernel) {
        issued_ = op;
        begin_ps_ = gate(listed.stream, begin_ps_);
    }
}

std::int64_t WallPace::behind(std::size_t, const graph::Op& listed) {
    if (listed.kind == OpKind::kernel) {
        return now_ps() - begin_ps_;
    }
    const bool calls = listed.kind == OpKind::communicate;
    hands_over_ = hands_over_ || calls;
    const bool transfers = calls && is_pairwise(graph_.communications[listed.index]);
    if (listed.kind == OpKind::wait || (calls && !transfers)) {
        held_since_ps_ = holds_up_ ? held_since_ps_ : begin_ps_;
        holds_up_ = listed.stream;
    }
    return 0;
}

void WallPace::done(std::size_t count) {
    issued_ = count;
    if (holds_up_) {
        gate(*holds_up_, held_since_ps_);
        holds_up_.reset();
    } else if (hands_over_) {
        engine_.issue(count);
        hands_over_ = false;
    }
}

void WallPace::finish(std::int64_t end_ps, const std::function<bool()>& cancelled) {
    end_ps_ = end_ps;
    wait_until(end_ps, cancelled);
}

}  // namespace prismllm::emulation
