// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/native.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "prismllm/emulation/slice.hpp"
#include "prismllm/program/setup.hpp"

#include "plain_replay.hpp"
#include "real_side.hpp"
#include "recorded_costs.hpp"
#include "roles.hpp"
#include "room.hpp"
#include "summary.hpp"

namespace prismllm::emulation {
namespace {

/// What to change where numbers left the range of the precision, or training its course.
std::string advice(const target::Job& job) {
    const double limit = job.native.clip_gradient;
    const std::string clipping = limit > 0 ? fmt::format("a native.clip_gradient below {}", limit)
                                           : std::string{"native.clip_gradient = 1"};
    const char* precision = job.training.precision == target::Precision::fp16   ? "\"bf16\""
                            : job.training.precision == target::Precision::fp32 ? nullptr
                                                                                : "\"fp32\"";
    return precision == nullptr
               ? fmt::format("Use a smaller native.learning_rate or {}", clipping)
               : fmt::format("Use a smaller native.learning_rate, {} or training.precision = {}",
                             clipping, precision);
}

Status check_loss(const target::Job& job, std::int64_t step, double loss) {
    if (std::isfinite(loss)) {
        return {};
    }
    return fail(ErrorCode::job_failed,
                "the loss of step {} of {} is {} (training diverged, or numbers left the range of "
                "the precision). {}.",
                step, job.native.steps, std::isnan(loss) ? "NaN" : "infinite", advice(job));
}

Status check_gradient(const target::Job& job, std::int64_t step, bool lost) {
    if (!lost) {
        return {};
    }
    return fail(
        ErrorCode::job_failed,
        "the gradient of step {} of {} has a norm that is not finite (training diverged, or "
        "numbers left the range of the precision). {}.",
        step, job.native.steps, advice(job));
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
            replay_.emplace(graph, job.emulation);
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
        data.accounts = false;
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

/// Process 0 collects what all ranks noted.
class Recorder {
public:
    Recorder(const comm::Communicator& world, const graph::ExecutionGraph& graph, RealSide& real)
        : world_{world}, graph_{graph}, pace_{real.record()} {
        if (world.rank() == 0) {
            costs_.emplace(graph);
        }
    }

    /// @collective
    void step(std::int64_t number) {
        const RecordingPace::Times& own = pace_.times();
        const auto ready = world_.gather(own.ready_ps);
        const auto end = world_.gather(own.end_ps);
        const auto looked = world_.gather(own.looked_ps);
        if (!costs_ || number == 0) {  // the first step meets cold caches
            return;
        }
        std::vector<RecordingPace::Times> all;
        for (std::size_t rank = 0; rank < ready.size(); ++rank) {
            all.push_back({ready[rank], end[rank], looked[rank]});
        }
        costs_->add(all);
    }

    void give(NativeRun& run) const {
        if (costs_) {
            run.recorded = graph_;
            run.measured = costs_->give(run.recorded);
            run.rank_factors = costs_->rank_factors();
        }
    }

private:
    const comm::Communicator& world_;
    const graph::ExecutionGraph& graph_;
    const RecordingPace& pace_;
    std::optional<RecordedCosts> costs_;
};

/// @collective
Status check_recording(const comm::Communicator& world, const target::Job& job) {
    const int machine = world.split_by_node().size();
    if (world.reduce_all(machine, comm::Reduction::min) < world.size()) {
        return fail(ErrorCode::resources,
                    "the {} processes run on several machines (a recording needs one clock). Start "
                    "them all on one.",
                    world.size());
    }
    if (job.native.steps < 2) {
        return fail(ErrorCode::bad_deck,
                    "native.steps is {} (a recording leaves out the first step). Use 2 or more.",
                    job.native.steps);
    }
    return {};
}

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
    if (auto ok = check_native(job, world.size(), static_cast<std::int64_t>(text.size())); !ok) {
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
        if (auto ok = clock->record ? check_recording(world, job) : Status{}; !ok) {
            return tl::unexpected{ok.error()};
        }
        emulated.emplace(world, clock->graph, job);
    }
    const graph::ExecutionGraph& graph = clock == nullptr ? *sliced : clock->graph;
    if (auto ok = check_room(world, graph, world.rank(), job.native.device); !ok) {
        return tl::unexpected{ok.error()};
    }
    // Without a clock nobody asks what a kernel takes, and a GPU need not wait for each.
    const auto timing =
        clock == nullptr ? device::DeviceUse::Timing::none : device::DeviceUse::Timing::each_kernel;
    RealSide real{world, graph, all_real(world), job, program::make_setup(job).value(),
                  text,  timing};
    std::optional<Recorder> recorder;
    if (clock != nullptr && clock->record) {
        recorder.emplace(world, graph, real);
    }
    NativeRun run;
    run.placement = pin_processes(world, placement::Duty::real_rank);
    for (std::int64_t step = 0; step < job.native.steps && run.outcome; ++step) {
        world.barrier();  // process 0 may have been busy with the emulated clock
        const auto begin = std::chrono::steady_clock::now();
        real.step();
        double wall =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        world.reduce_all(std::span{&wall, 1}, comm::Reduction::max);
        const double loss = real.last_loss().value_or(0);
        run.outcome = check_loss(job, step + 1, loss);
        if (!run.outcome) {
            break;
        }
        run.step_wall_s.push_back(wall);
        run.losses.push_back(loss);
        run.skipped_updates = real.executor()->skipped_updates();
        const int lost = real.executor()->gradient_was_lost() ? 1 : 0;
        run.outcome =
            check_gradient(job, step + 1, world.reduce_all(lost, comm::Reduction::max) != 0);
        if (emulated) {
            emulated->step(real);
        }
        if (recorder) {
            recorder->step(step);
        }
        const bool stop = after_step(step + 1, loss, wall);
        if (world.reduce_all(stop ? 1 : 0, comm::Reduction::max) != 0) {
            return fail(ErrorCode::interrupted,
                        "interrupted after step {} of {} (by a signal). Nothing was written.",
                        step + 1, job.native.steps);
        }
    }
    if (emulated && !run.losses.empty()) {
        run.data = emulated->data(real, static_cast<std::int64_t>(run.losses.size()));
    }
    if (recorder && run.losses.size() > 1) {
        recorder->give(run);
    }
    for (const store::RealRankRow& row : real.rows()) {
        run.peak_bytes.push_back(row.peak_allocated_bytes);
    }
    return run;
}

}  // namespace prismllm::emulation
