// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi_job.hpp"

#include <exception>
#include <new>

#include "prismllm/base/log.hpp"
#include "prismllm/comm/environment.hpp"

#include "signals.hpp"

namespace prismllm::cli {

ErrorCode tell_exception() {
    try {
        throw;
    } catch (const SystemError& e) {
        log_here(LogLevel::error, "prismllm", "{}", e.what());
        return e.code();
    } catch (const std::bad_alloc&) {
        log_here(LogLevel::error, "prismllm",
                 "out of memory (this process could not get more). Use more processes on more "
                 "nodes, or make the job smaller: model.layers, parallel.world_size, "
                 "training.global_batch_size (micro-batches), emulation.timeline_ranks; for real "
                 "ranks also model.hidden_size and training.micro_batch_size.");
        return ErrorCode::resources;
    } catch (const std::exception& e) {
        log_here(LogLevel::error, "prismllm", "internal error: {}. Please report this.", e.what());
        return ErrorCode::internal;
    }
}

Status in_mpi_job(const std::function<Status(const comm::Communicator& world)>& body) {
    const comm::Environment environment;
    try {
        const auto world = comm::Communicator::world();
        set_log_host_rank(HostRank{world.rank()});
        catch_stop_signals();
        Status outcome = body(world);
        if (outcome || world.size() == 1) {
            return outcome;
        }
        // All processes are here with it. A launcher ends the job when the first process has ended
        // with an error, so nobody ends before it was said.
        const ErrorCode code = outcome.error().code;
        log_root(LogLevel::error, "prismllm", "{}", outcome.error().message);
        world.barrier();
        if (code == ErrorCode::interrupted) {  // messages are under way: no end as usual
            comm::abort_job(code);
        }
        return tl::unexpected{Error{code, {}}};
    } catch (...) {
        comm::abort_job(tell_exception());
    }
}

}  // namespace prismllm::cli
