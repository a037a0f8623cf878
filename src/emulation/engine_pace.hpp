// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Clocks that the engine keeps for a real rank among virtual ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "prismllm/engine/engine.hpp"
#include "prismllm/program/executor.hpp"

#include "following_executor.hpp"
#include "pace.hpp"

namespace prismllm::emulation {

/// The virtual clock: the rank never waits. Its calls are handed to the proxies as it makes them,
/// so that these go on beside it.
class VirtualPace final : public Pace {
public:
    /// @param engine live, of this rank alone; outlives the pace.
    explicit VirtualPace(engine::Engine& engine) : engine_{engine} {}

    void begin_step() override { engine_.begin_iteration(); }
    std::int64_t behind(std::size_t op, const graph::Op& listed) override;
    void done(std::size_t count) override;

    /// Wall time spent on handing over, and how often.
    [[nodiscard]] std::chrono::nanoseconds spent() const { return spent_; }
    [[nodiscard]] std::int64_t times() const { return times_; }

private:
    engine::Engine& engine_;
    bool called_ = false;  ///< since the last time
    std::chrono::nanoseconds spent_{0};
    std::int64_t times_ = 0;
};

/// How well a rank kept to the clock of the wall.
struct Punctuality {
    std::int64_t waits = 0;      ///< times that it had to wait for an answer of the proxies
    std::int64_t late = 0;       ///< answers that came when the instant they name had passed
    std::int64_t late_ps = 0;    ///< by so much, in all
    std::int64_t latest_ps = 0;  ///< and at most
    /// How far the emulated clock was held back in all: late answers, the emulator's own work, and
    /// kernels that took longer here than the graph says.
    std::int64_t held_ps = 0;
};

/// The clock of the wall: the rank really waits until the instant at which its stream is free. The
/// emulated clock goes on with the wall's, but stands still while the emulator is at work and
/// between iterations, and goes back by what an answer is late: so times do not depend on how fast
/// the emulator is, and how often it was too slow is counted.
///
/// The host executes an op when it is issued, so calls hold up the rank as they do in a native run
/// on the host, where no stream overlaps with another.
class WallPace final : public Pace {
public:
    /// @param engine live, of this rank alone; outlives the pace.
    /// @param modelled kernels last as the graph says, however long they take.
    /// @param rank told what it waits for. All references outlive the pace.
    WallPace(engine::Engine& engine, const graph::ExecutionGraph& graph, bool modelled,
             FollowingExecutor& rank);

    void begin_step() override;
    void before(std::size_t op, const graph::Op& listed) override;
    std::int64_t behind(std::size_t op, const graph::Op& listed) override;
    void done(std::size_t count) override;
    /// Wait for the end of the iteration, unless the job is cancelled.
    /// @param cancelled may be empty
    void finish(std::int64_t end_ps, const std::function<bool()>& cancelled);

    [[nodiscard]] const Punctuality& punctuality() const { return punctuality_; }

private:
    [[nodiscard]] std::int64_t now_ps() const;
    /// Now is `instant`.
    void set_back(std::int64_t instant);
    /// @return false as soon as `cancelled` says true.
    bool wait_until(std::int64_t instant, const std::function<bool()>& cancelled);
    /// Wait until the stream is free, on the wall's clock too. What passed since then, or since
    /// `since`, did not happen. @return when the stream was free
    std::int64_t gate(std::uint8_t stream, std::int64_t since);
    void note_late(std::int64_t instant, std::int64_t asked);

    engine::Engine& engine_;
    const graph::ExecutionGraph& graph_;
    bool modelled_;
    FollowingExecutor& rank_;
    Clock::time_point epoch_;
    std::int64_t end_ps_ = 0;    ///< of the last iteration
    std::int64_t begin_ps_ = 0;  ///< of the op under way; of a kernel: since its stream was free
    std::size_t issued_ = 0;
    bool hands_over_ = false;               ///< calls were made since the engine was told
    std::optional<std::uint8_t> holds_up_;  ///< stream whose end the host waited for
    std::int64_t held_since_ps_ = 0;
    Punctuality punctuality_;
};

}  // namespace prismllm::emulation
