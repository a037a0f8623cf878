// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline_job.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "graph_builder.hpp"

namespace prismllm::samples {
namespace {

enum : int {
    compute,
    tensor_comm,
    data_comm,
    pipeline,
    forward_send,
    forward_recv,
    backward_send,
    backward_recv,
    spectator
};

struct Action {
    bool forward = true;
    int chunk = 0;
    int micro_batch = 0;
};

/// The k-th forward or backward of any stage: rounds of `pipeline` micro-batches chunk by chunk.
Action virtual_step(const PipelineJob& job, int k, bool forward) {
    if (job.chunks == 1) {
        return {forward, 0, k};
    }
    const int round = job.pipeline * job.chunks;
    const int chunk = k % round / job.pipeline;
    return {forward, forward ? chunk : job.chunks - 1 - chunk,
            k / round * job.pipeline + k % job.pipeline};
}

/// 1F1B, interleaved for more than one chunk (Narayanan et al., SC21).
std::vector<Action> schedule(const PipelineJob& job, int stage) {
    const int total = job.micro_batches * job.chunks;
    const int behind = job.pipeline - stage - 1;
    const int warm_up =
        std::min(total, job.chunks == 1 ? behind : 2 * behind + (job.chunks - 1) * job.pipeline);
    std::vector<Action> actions;
    for (int k = 0; k < warm_up; ++k) {
        actions.push_back(virtual_step(job, k, true));
    }
    for (int k = warm_up; k < total; ++k) {
        actions.push_back(virtual_step(job, k, true));
        actions.push_back(virtual_step(job, k - warm_up, false));
    }
    for (int k = total - warm_up; k < total; ++k) {
        actions.push_back(virtual_step(job, k, false));
    }
    return actions;
}

struct Calls {
    std::uint32_t tensor, gather, reduce, send_next, send_previous, recv_next, recv_previous, norm;
    std::uint32_t forward_kernel, backward_kernel, optimizer;
};

class Stage {
public:
    Stage(const PipelineJob& job, const Calls& calls, OpWriter ops, int stage)
        : job_{job}, calls_{calls}, ops_{ops}, stage_{stage} {}

    void write() {
        start_gathers();
        job_.chunks == 1 ? write_batched() : write_overlapped();
        finish();
    }

private:
    bool is_first(const Action& a) const { return stage_ == 0 && a.chunk == 0; }
    bool is_last(const Action& a) const {
        return stage_ == job_.pipeline - 1 && a.chunk == job_.chunks - 1;
    }
    bool receives(const Action& a) const { return a.forward ? !is_first(a) : !is_last(a); }
    bool sends(const Action& a) const { return a.forward ? !is_last(a) : !is_first(a); }

    void start_gathers() {
        if (!job_.data_calls) {
            return;
        }
        for (int layer = 0; layer < job_.layers * job_.chunks; ++layer) {
            ops_.order(compute, data_comm);
            ops_.call(data_comm, calls_.gather);
            gathered_.push_back(ops_.record(data_comm));
        }
    }

    void block(bool forward) {
        for (int k = 0; k < job_.kernels; ++k) {
            ops_.kernel(compute, forward ? calls_.forward_kernel : calls_.backward_kernel);
            if (job_.extra_events) {
                ops_.order(compute, spectator);
            }
        }
        if (job_.tensor_calls) {
            ops_.order(compute, tensor_comm);
            ops_.call(tensor_comm, calls_.tensor);
            ops_.order(tensor_comm, compute);
        }
    }

    void run(const Action& action) {
        const int blocks = action.forward ? job_.forward_blocks : job_.backward_blocks;
        for (int layer = 0; layer < job_.layers; ++layer) {
            if (action.forward && action.micro_batch == 0 && job_.data_calls) {
                ops_.wait(compute,
                          gathered_[static_cast<std::size_t>(action.chunk * job_.layers + layer)]);
            }
            for (int b = 0; b < blocks; ++b) {
                block(action.forward);
            }
            if (!action.forward && action.micro_batch + 1 == job_.micro_batches &&
                job_.data_calls) {
                ops_.order(compute, data_comm);
                ops_.call(data_comm, calls_.reduce);
                reduced_.push_back(ops_.record(data_comm));
            }
        }
    }

    std::uint32_t send_call(const Action& a) const {
        return a.forward ? calls_.send_next : calls_.send_previous;
    }
    std::uint32_t recv_call(const Action& a) const {
        return a.forward ? calls_.recv_previous : calls_.recv_next;
    }

    void exchange(const std::optional<Action>& send, const std::optional<Action>& recv) {
        if (!send && !recv) {
            return;
        }
        ops_.order(compute, pipeline);
        const std::uint32_t batch = ops_.new_batch();
        if (send) {
            ops_.call(pipeline, send_call(*send), batch);
        }
        if (recv) {
            ops_.call(pipeline, recv_call(*recv), batch);
        }
        ops_.order(pipeline, compute);
    }

    void write_batched() {
        std::optional<Action> leaving;
        for (const Action& action : schedule(job_, stage_)) {
            const auto arriving = receives(action) ? std::optional{action} : std::nullopt;
            if (leaving && leaving->forward == action.forward) {
                exchange(leaving, {});
                leaving.reset();
            }
            exchange(leaving, arriving);
            run(action);
            leaving = sends(action) ? std::optional{action} : std::nullopt;
        }
        exchange(leaving, {});
    }

    void write_overlapped() {
        const std::vector<Action> actions = schedule(job_, stage_);
        std::vector<std::optional<std::uint32_t>> arrived(actions.size());
        const auto post = [&](std::size_t k) {
            if (k < actions.size() && !arrived[k] && receives(actions[k])) {
                const int stream = actions[k].forward ? forward_recv : backward_recv;
                ops_.order(compute, stream);
                ops_.call(stream, recv_call(actions[k]));
                arrived[k] = ops_.record(stream);
            }
        };
        for (std::size_t k = 0; k < actions.size(); ++k) {
            post(k);
            post(k + 1);
            if (arrived[k]) {
                ops_.wait(compute, *arrived[k]);
            }
            run(actions[k]);
            if (sends(actions[k])) {
                const int stream = actions[k].forward ? forward_send : backward_send;
                ops_.order(compute, stream);
                ops_.call(stream, send_call(actions[k]));
            }
        }
    }

    void finish() {
        for (const std::uint32_t event : reduced_) {
            ops_.wait(compute, event);
        }
        if (job_.data_calls) {
            ops_.call(compute, calls_.norm);
            ops_.kernel(compute, calls_.optimizer);
        }
    }

    const PipelineJob& job_;
    const Calls& calls_;
    OpWriter ops_;
    int stage_;
    std::vector<std::uint32_t> gathered_, reduced_;
};

}  // namespace

graph::ExecutionGraph make_pipeline_job(const PipelineJob& job) {
    const std::int64_t t = job.tensor, d = job.data, p = job.pipeline;
    GraphBuilder b{t * d * p,
                   {"compute", "tensor", "data", "pipeline", "forward_send", "forward_recv",
                    "backward_send", "backward_recv", "spectator"}};
    b.graph().ranks_per_node = t;
    b.graph().facts.pipeline_stages = p;
    const auto tp = b.family("tp", {{t, 1}}, {{d * p, t}});
    const auto dp = b.family("dp", {{d, t}}, {{t, 1}, {p, t * d}});
    const auto pp = b.family("pp", {{p, t * d}}, {{t * d, 1}});
    const auto world = b.family("world", {{t * d * p, 1}}, {});
    Calls calls{};
    calls.tensor = b.collective(tp, {job.tensor_cost_ps});
    calls.gather = b.collective(dp, {job.data_cost_ps});
    calls.reduce = b.collective(dp, {2 * job.data_cost_ps});
    calls.send_next = b.send(pp, 1, job.pipeline_cost_ps);
    calls.send_previous = b.send(pp, -1, job.pipeline_cost_ps);
    calls.recv_next = b.recv(pp, 1, job.pipeline_cost_ps);
    calls.recv_previous = b.recv(pp, -1, job.pipeline_cost_ps);
    calls.norm = b.collective(world, {job.data_cost_ps});
    calls.forward_kernel = b.kernel(job.kernel_ps);
    calls.backward_kernel = b.kernel(job.backward_kernel_ps);
    calls.optimizer = b.kernel(job.kernel_ps);
    for (int stage = 0; stage < job.pipeline; ++stage) {
        Stage{job, calls, b.rank_class(t * d, "stage " + std::to_string(stage)), stage}.write();
    }
    return std::move(b.graph());
}

PipelineJob large_job() {
    PipelineJob job;
    job.tensor = 8;
    job.data = 64;
    job.pipeline = 16;
    job.micro_batches = 32;
    job.layers = 8;
    job.forward_blocks = 4;   // all-gather and reduce-scatter around attention and MLP
    job.backward_blocks = 6;  // and the two all-gathers that sequence parallelism repeats
    job.kernels = 3;
    job.kernel_ps = 200'000'000;
    job.backward_kernel_ps = 260'000'000;
    job.tensor_cost_ps = 150'000'000;
    job.data_cost_ps = 3'000'000'000;
    job.pipeline_cost_ps = 90'000'000;
    return job;
}

}  // namespace prismllm::samples
