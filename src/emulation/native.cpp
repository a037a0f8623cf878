// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/native.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "prismllm/emulation/slice.hpp"
#include "prismllm/program/setup.hpp"

#include "plain_replay.hpp"
#include "real_check.hpp"
#include "real_side.hpp"
#include "roles.hpp"
#include "summary.hpp"

namespace prismllm::emulation {
namespace {

Status check(const comm::Communicator& world, const target::Job& job, std::size_t text_bytes) {
    if (world.size() != job.parallel.world_size) {
        return fail(ErrorCode::resources,
                    "the job has {} ranks, and {} process(es) run (natively each executes one). "
                    "Start it with mpirun -np {}.",
                    job.parallel.world_size, world.size(), job.parallel.world_size);
    }
    return check_real(job, text_bytes);
}

/// Durations of kernels of all ranks on process 0, [rank][op]; empty: the graph's.
std::vector<std::vector<std::int64_t>> durations_of(const comm::Communicator& world,
                                                    const RealSide& real,
                                                    const target::Emulation& settings) {
    if (settings.real_durations == target::RealDurations::graph) {
        return {};
    }
    return world.gather(*real.kernel_ps());
}

/// What process 0 replays, the others know that it does.
class Clock {
public:
    Clock(const comm::Communicator& world, const graph::ExecutionGraph& graph,
          const target::Job& job)
        : world_{world}, graph_{graph}, job_{job} {
        if (world.rank() == 0) {
            replay_.emplace(graph, job.emulation.timeline_ranks);
        }
    }

    /// @collective
    void step(const RealSide& real) {
        const auto durations = durations_of(world_, real, job_.emulation);
        if (replay_) {
            replay_->iterate(durations);
        }
    }

    /// @collective
    [[nodiscard]] store::ResultData data(const RealSide& real, std::int64_t steps) const {
        store::ResultData data;
        describe_graph(graph_, data);
        target::Emulation settings = job_.emulation;
        settings.iterations = steps;
        summarize(world_, graph_, replay_ ? replay_->results() : engine::LaneResults{}, settings,
                  data);
        data.real_ranks = real.rows();
        data.losses = real.losses();
        return data;
    }

private:
    const comm::Communicator& world_;
    const graph::ExecutionGraph& graph_;
    const target::Job& job_;
    std::optional<PlainReplay> replay_;
};

Status check_clock(const target::Emulation& settings) {
    if (settings.jitter > 0 || !settings.slow_ranks.empty()) {
        return fail(ErrorCode::bad_deck,
                    "emulation.{} is set (the clock of a native run has no perturbations). Remove "
                    "it, or emulate the job with prismllm run.",
                    settings.jitter > 0 ? "jitter" : "slow_ranks");
    }
    return {};
}

}  // namespace

Expected<NativeRun> run_native(const comm::Communicator& world, const target::Job& job,
                               std::span<const std::byte> text, const StepObserver& after_step,
                               const NativeClock* clock) {
    auto setup = program::make_setup(job);
    if (!setup) {
        return tl::unexpected{setup.error()};
    }
    if (auto ok = check(world, job, text.size()); !ok) {
        return tl::unexpected{ok.error()};
    }
    Expected<graph::ExecutionGraph> sliced = graph::ExecutionGraph{};
    std::optional<Clock> emulated;
    if (clock == nullptr) {
        sliced = slice_uncosted(job);
        if (!sliced) {
            return tl::unexpected{sliced.error()};
        }
    } else {
        if (auto ok = check_clock(job.emulation); !ok) {
            return tl::unexpected{ok.error()};
        }
        emulated.emplace(world, clock->graph, job);
    }
    RealSide real{
        world, clock == nullptr ? *sliced : clock->graph, all_real(world), job, std::move(*setup),
        text};
    NativeRun run;
    for (std::int64_t step = 0; step < job.native.steps; ++step) {
        const auto begin = std::chrono::steady_clock::now();
        real.step();
        double wall =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        world.reduce_all(std::span{&wall, 1}, comm::Reduction::max);
        run.step_wall_s.push_back(wall);
        run.losses.push_back(real.last_loss().value_or(0));
        if (emulated) {
            emulated->step(real);
        }
        const bool stop = after_step(step + 1, run.losses.back(), wall);
        if (world.reduce_all(stop ? 1 : 0, comm::Reduction::max) != 0) {
            return fail(ErrorCode::interrupted,
                        "interrupted after step {} of {} (by a signal). Nothing was written.",
                        step + 1, job.native.steps);
        }
    }
    if (emulated) {
        run.data = emulated->data(real, job.native.steps);
    }
    for (const store::RealRankRow& row : real.rows()) {
        run.peak_bytes.push_back(row.peak_allocated_bytes);
    }
    return run;
}

}  // namespace prismllm::emulation
