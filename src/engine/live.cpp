// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// A rank whose ops are run as they are issued.
#include "machine.hpp"

namespace prismllm::engine {

void Machine::begin_iteration() {
    PRISMLLM_ASSERT(options_.live && !begun_ && !broken_, "one iteration after the other");
    issued_ = 0;
    start_iteration();
}

void Machine::release_ops(std::uint32_t count) {
    issued_ = count;
    for (const auto& cohort : cohorts_) {
        work_.push(*cohort);
    }
}

void Machine::issue(std::size_t count) {
    PRISMLLM_ASSERT(begun_ && count >= issued_, "ops are issued in order");
    release_ops(static_cast<std::uint32_t>(count));
    drain();
    if (flights_.poll()) {
        drain();
    }
}

const Actor* Machine::actor_of(std::uint8_t stream) const {
    for (const Actor& actor : cohorts_.front()->actors) {
        if (actor.program->stream == stream) {
            return &actor;
        }
    }
    return nullptr;
}

/// Everything issued on the stream has ended.
bool Machine::is_free(const Actor& actor) const {
    return actor.pc == actor.program->code.size() ||
           (actor.posted == 0 && actor.current().op >= issued_);
}

bool Machine::is_free(std::uint8_t stream) const {
    const Actor* actor = actor_of(stream);
    return actor == nullptr || is_free(*actor);
}

Expected<std::int64_t> Machine::await_stream(std::uint8_t stream) {
    PRISMLLM_ASSERT(begun_, "an iteration is under way");
    const Actor* actor = actor_of(stream);
    if (actor == nullptr) {
        return 0;
    }
    for (int idle = 0; !is_free(*actor);) {
        drain();
        if (flights_.poll()) {
            idle = 0;
            continue;
        }
        if (is_free(*actor)) {
            break;
        }
        switch (judge(idle)) {
            case StallWatch::Verdict::stalled:
                broken_ = true;
                return tl::unexpected{stalled()};
            case StallWatch::Verdict::cancelled:
                broken_ = true;
                return tl::unexpected{interrupted()};
            case StallWatch::Verdict::done:
            case StallWatch::Verdict::open:
                break;
        }
        ++idle;
        exchange_.relax();
    }
    return actor->clock[0];
}

Status Machine::check_cancelled() {
    PRISMLLM_ASSERT(begun_, "an iteration is under way");
    cancelled_ = cancelled_ || (options_.cancelled && options_.cancelled());
    bool all_know = cancelled_;
    if (exchange_.size() > 1) {
        // Another process may be the one that knows, and waits for this one's vote. To wait for a
        // clock is no standing still: the count rises.
        ++steps_;
        all_know = watch_.vote({true, cancelled_, steps_}) == StallWatch::Verdict::cancelled;
    }
    if (!all_know) {
        return {};
    }
    broken_ = true;
    return tl::unexpected{interrupted()};
}

}  // namespace prismllm::engine
