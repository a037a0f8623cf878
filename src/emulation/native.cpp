// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/native.hpp"

#include <chrono>
#include <cmath>
#include <string>

#include "prismllm/device/host_executor.hpp"
#include "prismllm/program/setup.hpp"
#include "prismllm/program/training_step.hpp"

#include "mpi_transport.hpp"

namespace prismllm::emulation {
namespace {

/// Ranks with the head know the loss of their replica; one of each tensor group counts.
double mean_loss(const comm::Communicator& world, const target::Layout& layout, double own) {
    const target::Coordinates where = layout.coordinates(world.rank());
    const bool counts = where.pipeline == layout.pipeline - 1 && where.tensor == 0;
    double sum = counts ? own / static_cast<double>(layout.data) : 0;
    world.reduce_all(std::span{&sum, 1}, comm::Reduction::sum);
    return sum;
}

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

}  // namespace

Expected<NativeRun> run_native(const comm::Communicator& world, const target::Job& job,
                               std::span<const std::byte> text, const StepObserver& after_step) {
    if (auto ok = check_native(job, world.size(), static_cast<std::int64_t>(text.size())); !ok) {
        return tl::unexpected{ok.error()};
    }
    const auto setup = program::make_setup(job);
    MpiTransport transport{world, setup->family_list};
    device::HostExecutor executor{*setup, world.rank(), job.native, text, &transport};
    program::TrainingProgram program{*setup, world.rank(), executor};
    NativeRun run;
    for (std::int64_t step = 0; step < job.native.steps && run.outcome; ++step) {
        const auto begin = std::chrono::steady_clock::now();
        program.step();
        double wall =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        world.reduce_all(std::span{&wall, 1}, comm::Reduction::max);
        const double loss = mean_loss(world, setup->layout, executor.end_step());
        run.outcome = check_loss(job, step + 1, loss);
        if (!run.outcome) {
            break;
        }
        run.step_wall_s.push_back(wall);
        run.losses.push_back(loss);
        run.skipped_updates = executor.skipped_updates();
        const int lost = executor.gradient_was_lost() ? 1 : 0;
        run.outcome =
            check_gradient(job, step + 1, world.reduce_all(lost, comm::Reduction::max) != 0);
        const bool stop = after_step(step + 1, loss, wall);
        if (world.reduce_all(stop ? 1 : 0, comm::Reduction::max) != 0) {
            return fail(ErrorCode::interrupted,
                        "interrupted after step {} of {} (by a signal). Nothing was written.",
                        step + 1, job.native.steps);
        }
    }
    const std::int64_t peak = executor.peak_bytes();
    for (const auto& of_rank : world.gather(std::span{&peak, 1})) {
        run.peak_bytes.push_back(of_rank.front());
    }
    return run;
}

}  // namespace prismllm::emulation
