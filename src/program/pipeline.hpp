// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Sends and receives between pipeline stages, around the actions of a schedule.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <vector>

#include "prismllm/program/schedule.hpp"

#include "chunk.hpp"

namespace prismllm::program {

/// Runs one action: input (activation or gradient) in, output to hand on out.
using ActionRunner = std::function<Buffer(const Action&, Buffer)>;

class Pipeline {
public:
    explicit Pipeline(const Context& context);

    /// All actions of this stage, in the order of the schedule.
    void run(const ScheduleShape& shape, const ActionRunner& run);

private:
    /// What one action hands on, and what the stage asks for meanwhile. nullptr: nothing.
    struct Handover {
        const Action* send = nullptr;
        Buffer out;
        const Action* recv = nullptr;
        Buffer in;
    };
    /// The forward, or the backward, actions of a stage and their transfers on the way.
    struct Lane {
        std::vector<const Action*> actions;
        std::vector<Buffer> inputs;  ///< [action]
        std::size_t done = 0;        ///< actions
        std::size_t ahead = 0;       ///< how many actions before the next one input is asked for
        std::vector<Event> on_the_way;
        std::vector<Buffer> sent;
    };

    [[nodiscard]] bool receives(const Action& action) const;
    [[nodiscard]] bool sends(const Action& action) const;
    [[nodiscard]] graph::Communication call(graph::CollectiveKind kind, bool forward) const;
    [[nodiscard]] Buffer receive_buffer(const Action& action) const;
    [[nodiscard]] Buffer sent_part(Buffer out) const;
    [[nodiscard]] Buffer completed(Buffer received, const Action& action) const;
    /// What an action hands on; what it needs, with a buffer for it.
    [[nodiscard]] Handover leaving_from(const Action& action, Buffer out) const;
    [[nodiscard]] Handover arriving_for(const Action& action) const;
    /// 1F1B and GPipe: the compute stream waits for every send and receive.
    void run_plain(const std::vector<Action>& actions, const ActionRunner& run);
    /// Interleaved. An action hands its output on and asks for the input of the next action of
    /// its direction; that next action waits for both. So in the steady state a transfer runs
    /// beside the action of the other direction (overlap_p2p), and nothing hides those of warm-up
    /// and cool-down. Without overlap_p2p one batch a forward-backward pair, waited for at once.
    /// `warmup` forwards come before the pairs.
    void run_interleaved(const std::vector<Action>& actions, std::size_t warmup,
                         std::array<Lane, 2> lanes, const ActionRunner& run);
    [[nodiscard]] std::array<Lane, 2> lanes_of(const std::vector<Action>& actions,
                                               const ScheduleShape& shape) const;
    void ask(Lane& lane, std::size_t number, Handover& handover) const;
    [[nodiscard]] Handover hand_over(Lane& lane, Buffer out) const;
    void exchange(std::initializer_list<Handover> handovers);
    void start_beside(Lane& lane, const Handover& handover);
    void await(Lane& lane);

    const Context& context_;
};

}  // namespace prismllm::program
