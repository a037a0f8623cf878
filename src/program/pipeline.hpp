// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Sends and receives between pipeline stages, around the actions of a schedule.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "prismllm/program/schedule.hpp"

#include "chunk.hpp"

namespace prismllm::program {

/// Runs one action: input (activation or gradient) in, output to hand on out.
using ActionRunner = std::function<Buffer(const Action&, Buffer)>;

class Pipeline {
public:
    explicit Pipeline(const Context& context);

    /// 1F1B and GPipe: sends and receives in batches that the compute stream waits for.
    void run_batched(const std::vector<Action>& actions, const ActionRunner& run);
    /// Interleaved: sends and receives run beside the compute stream. With overlap_p2p a receive
    /// is posted one action ahead of its use, else when it is needed.
    void run_overlapped(const std::vector<Action>& actions, const ActionRunner& run);

private:
    struct Arrival {
        Buffer buffer;
        Event event;
        bool posted = false;
    };
    [[nodiscard]] bool receives(const Action& action) const;
    [[nodiscard]] bool sends(const Action& action) const;
    [[nodiscard]] graph::Communication call(graph::CollectiveKind kind, bool forward) const;
    [[nodiscard]] Buffer receive_buffer(const Action& action) const;
    [[nodiscard]] Buffer completed(Buffer received, const Action& action) const;
    void exchange(const Action* send, Buffer out, const Action* recv, Buffer in);
    void post_receive(const Action& action, Arrival& arrival);
    void send_beside(const Action& action, Buffer out);
    void release_sent(std::size_t keep);

    const Context& context_;
    std::vector<std::pair<Event, Buffer>> in_flight_;  ///< sends not yet waited for
};

}  // namespace prismllm::program
