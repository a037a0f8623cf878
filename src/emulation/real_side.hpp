// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The real ranks of a job, as its processes see them together.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/communicator.hpp"
#include "prismllm/engine/engine.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/program/setup.hpp"
#include "prismllm/store/result_file.hpp"
#include "prismllm/target/job.hpp"

#include "engine_pace.hpp"
#include "mpi_transport.hpp"
#include "real_rank.hpp"
#include "recording_pace.hpp"
#include "roles.hpp"

namespace prismllm::emulation {

class RealSide {
public:
    /// @param job the one that the graph was sliced from; it passed check_native.
    /// @pre roles names at least one real rank. All references outlive the object.
    /// @collective over world
    RealSide(const comm::Communicator& world, const graph::ExecutionGraph& graph,
             const RealRanks& real, const target::Job& job, program::Setup setup,
             std::span<const std::byte> text, device::DeviceUse::Timing timing);

    /// The rank of this process lives by the clock of an engine, which is live and its alone.
    /// Nothing on a proxy. @collective
    void follow(engine::Engine& engine, const target::Emulation& settings);
    /// What the ops of this process's rank take is noted from now on. @pre it has one
    /// @return outlived by the object
    const RecordingPace& record();
    /// The iteration ended at this instant for this process's rank; on the wall's clock it waits
    /// for that, unless the job is cancelled.
    void end_iteration(std::int64_t end_ps, const std::function<bool()>& cancelled);
    /// One iteration of this process's rank; nothing on a proxy.
    void step();
    /// Durations of the rank's kernels in the last step, see FollowingExecutor; null on a proxy.
    [[nodiscard]] const std::vector<std::int64_t>* kernel_ps() const;
    /// Null on a proxy.
    [[nodiscard]] const device::RankExecutor* executor() const {
        return rank_ ? &rank_->executor() : nullptr;
    }
    /// [step] mean a token over the real ranks with the head; empty where none has it. @collective
    [[nodiscard]] std::vector<double> losses() const;
    /// The same of the last step; nothing where none has it. @collective
    [[nodiscard]] std::optional<double> last_loss() const;
    /// What following the engine took, on all processes: sums over the real ranks. @collective
    [[nodiscard]] store::RealFacts facts() const;
    /// A row a real rank, on process 0. @collective
    [[nodiscard]] std::vector<store::RealRankRow> rows() const;

private:
    [[nodiscard]] std::vector<double> mean(std::span<const double> own) const;

    const comm::Communicator& world_;
    const graph::ExecutionGraph& graph_;
    program::Setup setup_;
    MpiTransport transport_;
    std::optional<std::int64_t> number_;  ///< of this process's rank
    std::unique_ptr<RealRank> rank_;
    WallPace* wall_ = nullptr;        ///< the rank's pace, if it lives by the wall's clock
    VirtualPace* virtual_ = nullptr;  ///< or by the virtual one
    std::vector<double> own_losses_;  ///< [step]; empty on proxies
};

}  // namespace prismllm::emulation
