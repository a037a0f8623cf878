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

void RecordedCosts::add(const std::vector<std::vector<std::int64_t>>& ready_ps,
                        const std::vector<std::vector<std::int64_t>>& end_ps) {
    std::map<CallKeys::Key, Meeting> meetings;
    const auto each_op = [&](const auto& body) {
        for (std::int64_t rank = 0; rank < graph_.world_size; ++rank) {
            const std::vector<graph::Op>& ops = keys_.ops(rank);
            const auto r = static_cast<std::size_t>(rank);
            for (std::size_t i = 0; i < ops.size(); ++i) {
                body(rank, i, ops[i], ready_ps[r][i], end_ps[r][i]);
            }
        }
    };
    each_op([&](std::int64_t rank, std::size_t i, const graph::Op& op, std::int64_t ready,
                std::int64_t end) {
        if (op.kind == OpKind::kernel && end > 0) {
            kernels_[op.index].push_back(end - ready);
            busy_ps_[static_cast<std::size_t>(rank)] += static_cast<double>(end - ready);
        } else if (op.kind == OpKind::communicate) {
            Meeting& meeting = meetings[keys_.key(rank, i)];
            meeting.ready_ps = std::max(meeting.ready_ps, ready);
            if (graph_.communications[op.index].kind == CollectiveKind::send) {
                meeting.send_ready_ps = ready;
            }
        }
    });
    each_op([&](std::int64_t rank, std::size_t i, const graph::Op& op, std::int64_t,
                std::int64_t end) {
        if (op.kind != OpKind::communicate) {
            return;
        }
        const graph::Communication& call = graph_.communications[op.index];
        const Meeting& meeting = meetings.at(keys_.key(rank, i));
        const bool eager = is_pairwise(call) && payload_bytes(call, 1) <= graph_.eager_bytes;
        const std::int64_t since = eager ? meeting.send_ready_ps : meeting.ready_ps;
        calls_[{op.index, keys_.shape(rank, i)}].push_back(std::max<std::int64_t>(end - since, 0));
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
