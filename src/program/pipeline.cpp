// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <algorithm>

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

/// With scatter_gather_p2p tensor ranks, which all hold the whole, send a part each.
Buffer Pipeline::sent_part(Buffer out) const {
    const std::int64_t elements = context_.setup.sizes.pipeline_elements;
    return context_.setup.parallel.scatter_gather_p2p
               ? out.part(context_.where.tensor * elements, elements)
               : out;
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

Pipeline::Handover Pipeline::leaving_from(const Action& action, Buffer out) const {
    return sends(action) ? Handover{&action, out, nullptr, {}} : Handover{};
}

Pipeline::Handover Pipeline::arriving_for(const Action& action) const {
    return receives(action) ? Handover{nullptr, {}, &action, receive_buffer(action)} : Handover{};
}

/// In one batch, that the compute stream waits for. Consumes what is sent.
void Pipeline::exchange(std::initializer_list<Handover> handovers) {
    const auto moves = [](const Handover& h) { return h.send != nullptr || h.recv != nullptr; };
    if (std::none_of(handovers.begin(), handovers.end(), moves)) {
        return;
    }
    Executor& e = context_.executor;
    e.wait(Stream::pipeline, e.record(Stream::compute));
    e.begin_batch();
    for (const Handover& h : handovers) {
        if (h.send != nullptr) {
            e.communicate(Stream::pipeline, call(CollectiveKind::send, h.send->forward),
                          sent_part(h.out), {});
        }
        if (h.recv != nullptr) {
            e.communicate(Stream::pipeline, call(CollectiveKind::recv, h.recv->forward), {}, h.in);
        }
    }
    e.end_batch();
    e.wait(Stream::compute, e.record(Stream::pipeline));
    for (const Handover& h : handovers) {
        if (h.send != nullptr) {
            context_.release({h.out});
        }
    }
}

void Pipeline::run_plain(const std::vector<Action>& actions, const ActionRunner& run) {
    Handover leaving;  // of the action before, not sent yet
    for (const Action& action : actions) {
        const Handover arriving = arriving_for(action);
        if (leaving.send != nullptr && leaving.send->forward == action.forward) {
            // Megatron-LM joins a send and a receive of opposite directions only.
            exchange({leaving});
            leaving = {};
        }
        exchange({leaving, arriving});
        const Buffer out =
            run(action, arriving.recv != nullptr ? completed(arriving.in, action) : Buffer{});
        leaving = leaving_from(action, out);
    }
    exchange({leaving});
}

/// Where each round has more micro-batches than there are stages, the stage that passes over to
/// the next chunk gets inputs before their turn: when the stage at the other end, which is
/// stages - 1 actions behind, has them. Else that one would wait for its send, and block.
std::array<Pipeline::Lane, 2> Pipeline::lanes_of(const std::vector<Action>& actions,
                                                 const ScheduleShape& shape) const {
    std::array<Lane, 2> lanes;
    for (const Action& action : actions) {
        lanes[action.forward ? 0 : 1].actions.push_back(&action);
    }
    const std::int64_t ahead = std::max<std::int64_t>(0, round_size(shape) - shape.stages);
    if (context_.where.pipeline == 0) {
        lanes[0].ahead = static_cast<std::size_t>(ahead);
    }
    if (context_.where.pipeline == shape.stages - 1) {
        lanes[1].ahead = static_cast<std::size_t>(ahead);
    }
    for (Lane& lane : lanes) {
        lane.inputs.resize(lane.actions.size());
    }
    return lanes;
}

/// Ask for the input of action `number` of the lane, if there is one and it has an input.
void Pipeline::ask(Lane& lane, std::size_t number, Handover& handover) const {
    if (number < lane.actions.size()) {
        const Handover arriving = arriving_for(*lane.actions[number]);
        lane.inputs[number] = handover.in = arriving.in;
        handover.recv = arriving.recv;
    }
}

/// After the next action of the lane, with output `out`.
Pipeline::Handover Pipeline::hand_over(Lane& lane, Buffer out) const {
    Handover handover = leaving_from(*lane.actions[lane.done], out);
    ++lane.done;
    ask(lane, lane.done + lane.ahead, handover);
    return handover;
}

/// Sends and receives of two neighbors share a communicator, and so a stream: PyTorch makes one
/// for every pair of ranks that exchange outside a batch.
void Pipeline::start_beside(Lane& lane, const Handover& handover) {
    if (handover.send != nullptr) {
        const bool forward = handover.send->forward;
        lane.on_the_way.push_back(
            start_collective(context_, forward ? Stream::pipeline_next : Stream::pipeline_prev,
                             call(CollectiveKind::send, forward), sent_part(handover.out), {}));
        lane.sent.push_back(handover.out);
    }
    if (handover.recv != nullptr) {
        const bool forward = handover.recv->forward;
        lane.on_the_way.push_back(
            start_collective(context_, forward ? Stream::pipeline_prev : Stream::pipeline_next,
                             call(CollectiveKind::recv, forward), {}, handover.in));
    }
}

void Pipeline::await(Lane& lane) {
    for (const Event event : lane.on_the_way) {
        context_.executor.wait(Stream::compute, event);
    }
    for (const Buffer buffer : lane.sent) {
        context_.release({buffer});
    }
    lane.on_the_way.clear();
    lane.sent.clear();
}

void Pipeline::run_interleaved(const std::vector<Action>& actions, std::size_t warmup,
                               std::array<Lane, 2> lanes, const ActionRunner& run) {
    const bool overlap = context_.setup.parallel.overlap_p2p;
    Lane& backward = lanes[1];
    Handover first;
    ask(lanes[0], 0, first);
    exchange({first});
    Handover held;  // without overlap, of the forward of a forward-backward pair
    for (std::size_t k = 0; k < actions.size(); ++k) {
        const Action& action = actions[k];
        Lane& lane = lanes[action.forward ? 0 : 1];
        await(lane);
        const Buffer input =
            receives(action) ? completed(lane.inputs[lane.done], action) : Buffer{};
        const Handover own = hand_over(lane, run(action, input));
        Handover first_gradient;  // asked for with the last forward of the warm-up
        if (k + 1 == warmup) {
            ask(backward, 0, first_gradient);
        }
        if (overlap) {
            start_beside(lane, own);
            start_beside(backward, first_gradient);
        } else if (action.forward && k >= warmup) {
            held = own;
        } else {
            exchange({held, own, first_gradient});
            held = {};
        }
    }
    await(lanes[0]);
    await(lanes[1]);
}

void Pipeline::run(const ScheduleShape& shape, const ActionRunner& run) {
    const std::int64_t stage = context_.where.pipeline;
    const std::vector<Action> actions = schedule_of(shape, stage);
    if (shape.chunks > 1) {
        run_interleaved(actions, static_cast<std::size_t>(warmup_of(shape, stage)),
                        lanes_of(actions, shape), run);
    } else {
        run_plain(actions, run);
    }
}

}  // namespace prismllm::program
