// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

namespace prismllm::program {

using graph::CollectiveKind;

Pipeline::Pipeline(const Context& context) : context_{context} {}

bool Pipeline::receives(const Action& action) const {
    const target::Layout& l = context_.setup.layout;
    const target::StageWork& work = l.work(context_.where.pipeline, action.chunk);
    return l.pipeline > 1 && !(action.forward ? work.embedding : work.loss);
}

bool Pipeline::sends(const Action& action) const {
    const target::Layout& l = context_.setup.layout;
    const target::StageWork& work = l.work(context_.where.pipeline, action.chunk);
    return l.pipeline > 1 && !(action.forward ? work.loss : work.embedding);
}

graph::Communication Pipeline::call(CollectiveKind kind, bool forward) const {
    const Setup& setup = context_.setup;
    graph::Communication c;
    c.kind = kind;
    c.dtype = setup.activation;
    c.family = forward ? setup.families.pipeline : setup.backward_pipeline;
    c.elements = setup.sizes.pipeline_elements;
    // Activations go to the next stage, gradients to the one before.
    c.peer_delta = (kind == CollectiveKind::send) == forward ? 1 : -1;
    return c;
}

Buffer Pipeline::receive_buffer(const Action& action) const {
    return context_.activation(action.forward ? "received activation" : "received gradient",
                               context_.setup.sizes.pipeline_elements);
}

Buffer Pipeline::completed(Buffer received, const Action& action) const {
    if (!context_.setup.parallel.scatter_gather_p2p) {
        return received;
    }
    const Sizes& s = context_.sizes();
    const Buffer whole = context_.activation(
        action.forward ? "gathered activation" : "gathered gradient", s.tokens * s.hidden);
    graph::Communication gather = gather_sequence(context_, s.hidden);
    gather.elements = s.pipeline_elements;
    blocking_collective(context_, Stream::tensor_comm, gather, received, whole);
    context_.release({received});
    return whole;
}

void Pipeline::exchange(const Action* send, Buffer out, const Action* recv, Buffer in) {
    if (send == nullptr && recv == nullptr) {
        return;
    }
    Executor& e = context_.executor;
    e.wait(Stream::pipeline, e.record(Stream::compute));
    e.begin_batch();
    if (send != nullptr) {
        e.communicate(Stream::pipeline, call(CollectiveKind::send, send->forward), out, {});
    }
    if (recv != nullptr) {
        e.communicate(Stream::pipeline, call(CollectiveKind::recv, recv->forward), {}, in);
    }
    e.end_batch();
    e.wait(Stream::compute, e.record(Stream::pipeline));
    if (send != nullptr) {
        context_.release({out});
    }
}

void Pipeline::run_batched(const std::vector<Action>& actions, const ActionRunner& run) {
    const Action* leaving = nullptr;  // action whose output is still to be sent
    Buffer output;
    for (const Action& action : actions) {
        const Action* arriving = receives(action) ? &action : nullptr;
        const Buffer input = arriving != nullptr ? receive_buffer(action) : Buffer{};
        if (leaving != nullptr && leaving->forward == action.forward) {
            // Megatron-LM joins a send and a receive of opposite directions only.
            exchange(leaving, output, nullptr, {});
            leaving = nullptr;
        }
        exchange(leaving, output, arriving, input);
        output = run(action, arriving != nullptr ? completed(input, action) : Buffer{});
        leaving = sends(action) ? &action : nullptr;
    }
    exchange(leaving, output, nullptr, {});
}

void Pipeline::post_receive(const Action& action, Arrival& arrival) {
    if (arrival.posted || !receives(action)) {
        return;
    }
    const Stream stream = action.forward ? Stream::forward_recv : Stream::backward_recv;
    arrival.buffer = receive_buffer(action);
    arrival.event = start_collective(context_, stream, call(CollectiveKind::recv, action.forward),
                                     {}, arrival.buffer);
    arrival.posted = true;
}

void Pipeline::send_beside(const Action& action, Buffer out) {
    const Stream stream = action.forward ? Stream::forward_send : Stream::backward_send;
    in_flight_.emplace_back(
        start_collective(context_, stream, call(CollectiveKind::send, action.forward), out, {}),
        out);
}

/// The caching allocator may reuse a sent buffer once its send has ended: it is released when
/// newer sends have been issued, and the compute stream never waits for it.
void Pipeline::release_sent(std::size_t keep) {
    while (in_flight_.size() > keep) {
        context_.release({in_flight_.front().second});
        in_flight_.erase(in_flight_.begin());
    }
}

void Pipeline::run_overlapped(const std::vector<Action>& actions, const ActionRunner& run) {
    std::vector<Arrival> arrivals(actions.size());
    for (std::size_t k = 0; k < actions.size(); ++k) {
        const Action& action = actions[k];
        post_receive(action, arrivals[k]);
        if (context_.setup.parallel.overlap_p2p && k + 1 < actions.size()) {
            post_receive(actions[k + 1], arrivals[k + 1]);
        }
        Buffer input;
        if (arrivals[k].posted) {
            context_.executor.wait(Stream::compute, arrivals[k].event);
            input = completed(arrivals[k].buffer, action);
        }
        const Buffer output = run(action, input);
        if (sends(action)) {
            send_beside(action, output);
        }
        release_sent(2);
    }
    for (const auto& [event, buffer] : in_flight_) {
        context_.executor.wait(Stream::compute, event);
        context_.release({buffer});
    }
    in_flight_.clear();
}

}  // namespace prismllm::program
