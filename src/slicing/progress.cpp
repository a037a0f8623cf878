// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <algorithm>

namespace prismllm::slicing {

Progress::Progress(const SyncJob& job, const Partition& partition,
                   std::span<const Channel> channels)
    : job_{job},
      partition_{partition},
      channels_{channels},
      index_{job, partition, channels},
      sleepers_(partition.size()),
      meetings_(channels.size()) {
    for (std::uint32_t unit = 0; unit < partition.size(); ++unit) {
        first_actor_.push_back(static_cast<std::uint32_t>(actors_.size()));
        for (std::size_t slot = 0; slot < program_of(unit).slots.size(); ++slot) {
            actors_.push_back({unit, 0, 0, static_cast<std::uint8_t>(slot), false, false});
        }
    }
}

bool Progress::run() {
    for (std::size_t i = actors_.size(); i-- > 0;) {
        ready_.push_back(static_cast<std::uint32_t>(i));
    }
    while (!ready_.empty()) {
        running_ = ready_.back();
        ready_.pop_back();
        advance(running_);
    }
    return std::all_of(actors_.begin(), actors_.end(), [&](const Actor& actor) {
        return state_of(actor.unit, actor.slot) == Standstill::finished;
    });
}

void Progress::advance(std::uint32_t number) {
    Actor& actor = actors_[number];
    const std::vector<Step>& steps = program_of(actor.unit).slots[actor.slot];
    if (actor.in_call) {  // woken: all its meetings have taken place
        actor.in_call = false;
        ++actor.step;
    }
    for (; actor.step < steps.size(); ++actor.step) {
        const Step& step = steps[actor.step];
        if (step.kind == Step::Kind::wait) {
            if (actors_[actor_of(actor.unit, step.slot)].step >= step.begin) {
                continue;
            }
            actor.awaits_stream = true;
            ++sleepers_[actor.unit];
            break;
        }
        start(number, step);
        if (actor.pending > 0) {
            break;
        }
        actor.in_call = false;
    }
    if (sleepers_[actor.unit] > 0) {
        wake_streams(actor.unit);
    }
}

void Progress::start(std::uint32_t number, const Step& step) {
    Actor& actor = actors_[number];
    const SyncProgram& program = program_of(actor.unit);
    const std::vector<Meet>& meets = program.meets[actor.slot];
    actor.in_call = true;
    actor.pending = 0;
    for (std::uint32_t m = step.begin; m < step.end; ++m) {
        if (program.lists[meets[m].list][meets[m].number].waits) {
            actor.pending +=
                static_cast<std::uint32_t>(index_.of(actor.unit, meets[m].list).size());
        }
    }
    for (std::uint32_t m = step.begin; m < step.end; ++m) {
        for (const std::uint32_t channel : index_.of(actor.unit, meets[m].list)) {
            arrive(channel, meets[m].number);
        }
    }
}

void Progress::arrive(std::uint32_t channel, std::uint32_t number) {
    const std::size_t parties = channels_[channel].parties.size();
    if (parties == 1) {
        notify(channel, number);
        return;
    }
    std::vector<Meeting>& open = meetings_[channel];
    auto meeting =
        std::lower_bound(open.begin(), open.end(), number,
                         [](const Meeting& m, std::uint32_t wanted) { return m.number < wanted; });
    if (meeting == open.end() || meeting->number != number) {
        open.insert(meeting, {number, 1});
    } else if (++meeting->arrived == parties) {
        open.erase(meeting);
        notify(channel, number);
    }
}

void Progress::notify(std::uint32_t channel, std::uint32_t number) {
    for (const Party& party : channels_[channel].parties) {
        const Call& call =
            program_of(party.unit).lists[static_cast<std::size_t>(party.list)][number];
        if (!call.waits) {
            continue;
        }
        const std::uint32_t woken = actor_of(party.unit, call.slot);
        if (--actors_[woken].pending == 0 && woken != running_) {
            ready_.push_back(woken);
        }
    }
}

void Progress::wake_streams(std::uint32_t unit) {
    const std::size_t slots = program_of(unit).slots.size();
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const std::uint32_t number = actor_of(unit, static_cast<std::uint8_t>(slot));
        Actor& actor = actors_[number];
        if (!actor.awaits_stream) {
            continue;
        }
        const Step& step = step_of(unit, actor.slot);
        if (actors_[actor_of(unit, step.slot)].step >= step.begin) {
            actor.awaits_stream = false;
            --sleepers_[unit];
            ready_.push_back(number);
        }
    }
}

Standstill Progress::state_of(std::uint32_t unit, std::uint8_t slot) const {
    const Actor& actor = actors_[actor_of(unit, slot)];
    if (actor.step == program_of(unit).slots[slot].size()) {
        return Standstill::finished;
    }
    return actor.in_call ? Standstill::in_call : Standstill::awaits_stream;
}

const Step& Progress::step_of(std::uint32_t unit, std::uint8_t slot) const {
    return program_of(unit).slots[slot][actors_[actor_of(unit, slot)].step];
}

bool Progress::has_started(std::uint32_t unit, const Call& call) const {
    const Actor& actor = actors_[actor_of(unit, call.slot)];
    return actor.step > call.step || (actor.step == call.step && actor.in_call);
}

}  // namespace prismllm::slicing
