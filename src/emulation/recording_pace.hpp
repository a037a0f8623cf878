// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What the ops of a native run take on the wall's clock, for a graph of this machine.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

#include "pace.hpp"

namespace prismllm::emulation {

/// Notes since when the stream of a kernel or call was free, and when the op ended: by the rules by
/// which WallPace plays them back. What the host does between two ops belongs to the later one.
class RecordingPace final : public Pace {
public:
    /// @param ops list of the rank's class. Both outlive the pace.
    RecordingPace(const graph::ExecutionGraph& graph, const std::vector<graph::Op>& ops);

    void begin_step() override;
    void end_step() override;
    void before(std::size_t op, const graph::Op& listed) override;
    std::int64_t behind(std::size_t op, const graph::Op& listed) override;

    /// Times of the last step, picoseconds of the machine's steady clock, [op]; 0 where the op is
    /// neither kernel nor call.
    struct Times {
        std::vector<std::int64_t> ready_ps;  ///< since when its stream was free
        std::vector<std::int64_t> end_ps;
        /// Of a send or recv: when the host began to wait for it, and so made it go on.
        std::vector<std::int64_t> looked_ps;
    };
    [[nodiscard]] const Times& times() const { return times_; }

private:
    /// What an event stands for.
    struct Mark {
        std::int64_t free_ps = 0;
        std::vector<std::size_t> transfers;  ///< not known to have ended
        std::uint8_t stream = 0;
    };
    void wait(const graph::Op& listed);
    void end(std::vector<std::size_t>& transfers, std::int64_t now);

    const graph::ExecutionGraph& graph_;
    Times times_;
    std::int64_t began_ps_ = 0;                        ///< the op under way
    std::vector<std::int64_t> free_ps_;                ///< [stream]
    std::vector<std::vector<std::size_t>> under_way_;  ///< [stream] transfers behind no event yet
    std::map<std::uint32_t, Mark> events_;
};

}  // namespace prismllm::emulation
