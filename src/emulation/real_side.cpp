// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "real_side.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace prismllm::emulation {
namespace {

/// Whether no two real ranks share a GPU. @collective
bool alone_on_devices(const comm::Communicator& world, const std::string& own) {
    std::vector<std::string> names = world.gather(own);
    std::erase(names, std::string{});
    std::ranges::sort(names);
    const bool twice = std::ranges::adjacent_find(names) != names.end();
    return world.reduce_all(twice ? 1 : 0, comm::Reduction::max) == 0;
}

/// Number of this process among those of its machine that execute real ranks. @collective
int place_on_machine(const comm::Communicator& world, bool executes) {
    const comm::Communicator machine = world.split_by_node();
    std::vector<std::int64_t> all(static_cast<std::size_t>(machine.size()));
    all[static_cast<std::size_t>(machine.rank())] = executes ? 1 : 0;
    machine.reduce_all(all, comm::Reduction::sum);
    return static_cast<int>(
        std::accumulate(all.begin(), all.begin() + machine.rank(), std::int64_t{0}));
}

}  // namespace

RealSide::RealSide(const comm::Communicator& world, const graph::ExecutionGraph& graph,
                   const RealRanks& real, const target::Job& job, program::Setup setup,
                   std::span<const std::byte> text, device::DeviceUse::Timing timing)
    : world_{world},
      graph_{graph},
      setup_{std::move(setup)},
      transport_{world, graph.families, real,
                 Payloads{job.emulation.payload, static_cast<std::uint64_t>(job.native.seed)}},
      number_{real.own} {
    const int place = place_on_machine(world, number_.has_value());
    const target::RankDevice kind = job.native.device;
    const bool alone =
        alone_on_devices(world, number_ ? device::name_device(kind, place) : std::string{});
    if (number_) {
        const std::chrono::duration<double> watchdog{job.emulation.watchdog_s};
        rank_ = std::make_unique<RealRank>(
            setup_, graph, *number_, job.native, text, transport_,
            device::DeviceUse{place, timing, alone},
            std::chrono::duration_cast<std::chrono::milliseconds>(watchdog));
    }
}

void RealSide::follow(engine::Engine& engine, const target::Emulation& settings) {
    world_.barrier();  // emulated time begins for all at once
    if (!rank_) {
        return;
    }
    if (settings.clock == target::RunClock::wall) {
        const bool modelled = settings.real_durations == target::RealDurations::graph;
        auto pace = std::make_unique<WallPace>(engine, graph_, modelled, rank_->following());
        wall_ = pace.get();
        rank_->set_pace(std::move(pace));
    } else {
        auto pace = std::make_unique<VirtualPace>(engine);
        virtual_ = pace.get();
        rank_->set_pace(std::move(pace));
    }
}

const RecordingPace& RealSide::record() {
    auto pace = std::make_unique<RecordingPace>(graph_, rank_->ops());
    const RecordingPace& recording = *pace;
    rank_->set_pace(std::move(pace));
    return recording;
}

void RealSide::end_iteration(std::int64_t end_ps, const std::function<bool()>& cancelled) {
    if (wall_ != nullptr) {
        wall_->finish(end_ps, cancelled);
    }
}

void RealSide::step() {
    if (rank_) {
        own_losses_.push_back(rank_->step());
    }
}

const std::vector<std::int64_t>* RealSide::kernel_ps() const {
    return rank_ ? &rank_->kernel_ps() : nullptr;
}

std::vector<double> RealSide::losses() const {
    const auto steps =
        world_.reduce_all(static_cast<std::int64_t>(own_losses_.size()), comm::Reduction::max);
    std::vector<double> own = own_losses_;
    own.resize(static_cast<std::size_t>(steps));
    return mean(own);
}

std::optional<double> RealSide::last_loss() const {
    const double own = own_losses_.empty() ? 0 : own_losses_.back();
    const std::vector<double> all = mean({&own, 1});
    return all.empty() ? std::nullopt : std::optional{all.front()};
}

/// Over the real ranks that know the loss.
std::vector<double> RealSide::mean(std::span<const double> own) const {
    const target::Layout& layout = setup_.layout;
    std::vector<double> sums(own.size() + 1);
    if (number_ && layout.coordinates(*number_).pipeline == layout.pipeline - 1) {
        std::ranges::copy(own, sums.begin());
        sums.back() = 1;
    }
    world_.reduce_all(std::span{sums}, comm::Reduction::sum);
    const double ranks = sums.back();
    sums.pop_back();
    if (ranks == 0) {
        return {};
    }
    std::ranges::for_each(sums, [&](double& sum) { sum /= ranks; });
    return sums;
}

store::RealFacts RealSide::facts() const {
    const Punctuality p = wall_ != nullptr ? wall_->punctuality() : Punctuality{};
    const std::int64_t spent = virtual_ != nullptr ? picoseconds(virtual_->spent()) : 0;
    const std::int64_t times = virtual_ != nullptr ? virtual_->times() : 0;
    std::vector<std::int64_t> sums{p.waits, p.late, p.late_ps, p.held_ps, times, spent};
    world_.reduce_all(sums, comm::Reduction::sum);
    const std::int64_t latest_ps = world_.reduce_all(p.latest_ps, comm::Reduction::max);
    store::RealFacts facts;
    facts.awaited = sums[0];
    facts.late = sums[1];
    facts.late_ps = sums[2];
    facts.latest_ps = latest_ps;
    facts.held_ps = sums[3];
    facts.handed_over = sums[4];
    facts.handing_over_ps = sums[5];
    return facts;
}

std::vector<store::RealRankRow> RealSide::rows() const {
    std::vector<std::int64_t> own;
    if (rank_) {
        own = {*number_, rank_->executor().peak_bytes()};
        const std::vector<std::int64_t>& bytes = rank_->allocated_bytes();
        own.insert(own.end(), bytes.begin(), bytes.end());
    }
    std::vector<store::RealRankRow> rows;
    for (const std::vector<std::int64_t>& values : world_.gather(own)) {
        if (values.size() >= 2) {
            rows.push_back({values[0], values[1], {values.begin() + 2, values.end()}});
        }
    }
    return rows;
}

}  // namespace prismllm::emulation
