// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/native.hpp"

#include <algorithm>
#include <chrono>

#include "prismllm/device/host_executor.hpp"
#include "prismllm/program/setup.hpp"
#include "prismllm/program/training_step.hpp"

#include "mpi_transport.hpp"

namespace prismllm::emulation {
namespace {

Status check(const comm::Communicator& world, const target::Job& job, std::size_t text_bytes) {
    if (world.size() != job.parallel.world_size) {
        return fail(ErrorCode::resources,
                    "the job has {} ranks, and {} process(es) run (natively each executes one). "
                    "Start it with mpirun -np {}.",
                    job.parallel.world_size, world.size(), job.parallel.world_size);
    }
    if (job.model.vocab_size < 256) {
        return fail(ErrorCode::bad_deck,
                    "model.vocab_size {} is too small (tokens are bytes). Use 256 or more.",
                    job.model.vocab_size);
    }
    if (static_cast<std::int64_t>(text_bytes) <= job.training.sequence_length) {
        return fail(ErrorCode::bad_deck,
                    "native.text has {} bytes (a sample takes training.sequence_length {} and one "
                    "more). Use a longer text or shorter sequences.",
                    text_bytes, job.training.sequence_length);
    }
    if (job.parallel.kv_replication && job.parallel.tensor > job.model.kv_heads) {
        return fail(ErrorCode::bad_deck,
                    "parallel.kv_replication copies K and V heads, which real ranks do not yet. "
                    "Use tensor_parallel {} or less.",
                    job.model.kv_heads);
    }
    if (job.model.positions == target::PositionKind::alibi) {
        return fail(
            ErrorCode::bad_deck,
            "model.positions \"alibi\" has no arithmetic yet. Use \"rope\" or \"learned\".");
    }
    return {};
}

/// Ranks with the head know the loss of their replica; one of each tensor group counts.
double mean_loss(const comm::Communicator& world, const target::Layout& layout, double own) {
    const target::Coordinates where = layout.coordinates(world.rank());
    const bool counts = where.pipeline == layout.pipeline - 1 && where.tensor == 0;
    double sum = counts ? own / static_cast<double>(layout.data) : 0;
    world.reduce_all(std::span{&sum, 1}, comm::Reduction::sum);
    return sum;
}

}  // namespace

Expected<NativeRun> run_native(const comm::Communicator& world, const target::Job& job,
                               std::span<const std::byte> text, const StepObserver& after_step) {
    const auto setup = program::make_setup(job);
    if (!setup) {
        return tl::unexpected{setup.error()};
    }
    if (auto ok = check(world, job, text.size()); !ok) {
        return tl::unexpected{ok.error()};
    }
    MpiTransport transport{world, setup->family_list};
    device::HostExecutor executor{*setup, world.rank(), job.native, text, &transport};
    program::TrainingProgram program{*setup, world.rank(), executor};
    NativeRun run;
    for (std::int64_t step = 0; step < job.native.steps; ++step) {
        const auto begin = std::chrono::steady_clock::now();
        program.step();
        double wall =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        world.reduce_all(std::span{&wall, 1}, comm::Reduction::max);
        run.step_wall_s.push_back(wall);
        run.losses.push_back(mean_loss(world, setup->layout, executor.end_step()));
        const bool stop = after_step(step + 1, run.losses.back(), wall);
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
