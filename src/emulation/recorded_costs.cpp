// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "recorded_costs.hpp"

#include <algorithm>
#include <numeric>

#include "medians.hpp"

namespace prismllm::emulation {

using graph::CollectiveKind;
using graph::OpKind;

namespace {

/// @pre not empty
std::int64_t mean(const Samples& samples) {
    const auto count = static_cast<std::int64_t>(samples.size());
    return std::accumulate(samples.begin(), samples.end(), std::int64_t{0}) / count;
}

}  // namespace

RecordedCosts::RecordedCosts(const graph::ExecutionGraph& graph)
    : graph_{graph},
      keys_{graph},
      kernels_(graph.kernels.size()),
      busy_ps_(static_cast<std::size_t>(graph.world_size)) {}

void RecordedCosts::add(const std::vector<RecordingPace::Times>& times) {
    std::map<CallKeys::Key, Meeting> meetings;
    // A message that was there before its rank looked at it cost that rank the time to take it,
    // which no stream hides: it belongs to the kernel that was waiting. [rank, end of the wait]
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> copied;
    const auto each = [&](graph::OpKind kind, const auto& body) {
        for (std::int64_t rank = 0; rank < graph_.world_size; ++rank) {
            const std::vector<graph::Op>& ops = keys_.ops(rank);
            for (std::size_t i = 0; i < ops.size(); ++i) {
                if (ops[i].kind == kind) {
                    body(rank, i, ops[i].index, times[static_cast<std::size_t>(rank)]);
                }
            }
        }
    };
    each(OpKind::communicate, [&](std::int64_t rank, std::size_t i, std::uint32_t call, auto& of) {
        Meeting& meeting = meetings[keys_.key(rank, i)];
        meeting.ready_ps = std::max(meeting.ready_ps, of.ready_ps[i]);
        if (graph_.communications[call].kind == CollectiveKind::send) {
            meeting.send_ready_ps = of.ready_ps[i];
        }
    });
    each(OpKind::communicate, [&](std::int64_t rank, std::size_t i, std::uint32_t call, auto& of) {
        const graph::Communication& c = graph_.communications[call];
        const Meeting& meeting = meetings.at(keys_.key(rank, i));
        const bool eager = is_pairwise(c) && payload_bytes(c, 1) <= graph_.eager_bytes;
        const std::int64_t since = eager ? meeting.send_ready_ps : meeting.ready_ps;
        if (of.looked_ps[i] > since) {
            std::int64_t& longest = copied[{rank, of.end_ps[i]}];
            longest = std::max(longest, of.end_ps[i] - of.looked_ps[i]);
        }
        calls_[{call, keys_.shape(rank, i)}].push_back(
            std::max<std::int64_t>(of.end_ps[i] - std::max(since, of.looked_ps[i]), 0));
    });
    each(OpKind::kernel, [&](std::int64_t rank, std::size_t i, std::uint32_t kernel, auto& of) {
        if (of.end_ps[i] > 0) {
            const std::int64_t took =
                of.end_ps[i] - of.ready_ps[i] + copied[{rank, of.ready_ps[i]}];
            kernels_[kernel].push_back(took);
            busy_ps_[static_cast<std::size_t>(rank)] += static_cast<double>(took);
        }
    });
}

MeasuredKernels RecordedCosts::give(graph::ExecutionGraph& graph) const {
    auto samples = kernels_;
    MeasuredKernels measured = take_medians(samples, graph);
    measured.ranks = graph.world_size;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
        if (!kernels_[k].empty()) {
            graph.kernel_costs[k].duration_ps = mean(kernels_[k]);
        }
    }
    for (const auto& [place, taken] : calls_) {
        graph.communication_costs[place.first][place.second] = {mean(taken),
                                                                graph::Provenance::measured};
    }
    return measured;
}

std::vector<double> RecordedCosts::rank_factors() const {
    const std::vector<std::int32_t> class_of = class_of_ranks(graph_);
    std::vector<double> sums(graph_.classes.size()), counts(graph_.classes.size());
    for (std::size_t rank = 0; rank < busy_ps_.size(); ++rank) {
        const auto number = static_cast<std::size_t>(class_of[rank]);
        sums[number] += busy_ps_[rank];
        counts[number] += 1;
    }
    std::vector<double> factors;
    for (std::size_t rank = 0; rank < busy_ps_.size(); ++rank) {
        const auto number = static_cast<std::size_t>(class_of[rank]);
        factors.push_back(sums[number] > 0 ? busy_ps_[rank] * counts[number] / sums[number] : 1);
    }
    return factors;
}

}  // namespace prismllm::emulation
