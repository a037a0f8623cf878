// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace prismllm::report {

using graph::FamilyKind;

std::vector<StageTimes> stage_times(const store::ResultData& data) {
    std::vector<StageTimes> rows;
    for (const store::StageRow& stage : data.stages) {
        StageTimes row;
        row.stage = stage.stage;
        row.ranks = stage.ranks;
        row.compute = stage.busy_ps;
        row.bubble = stage.idle_ps;
        row.peak_memory_bytes = stage.peak_memory_bytes;
        for (std::size_t f = 0; f < data.families.size(); ++f) {
            switch (data.families[f].kind) {
                case FamilyKind::tensor:
                case FamilyKind::expert_tensor:
                    row.tensor += stage.communication_ps[f];
                    row.skew += stage.skew_ps[f];
                    break;
                case FamilyKind::pipeline:
                    row.pipeline += stage.communication_ps[f];
                    row.bubble += stage.skew_ps[f];
                    break;
                case FamilyKind::embedding:
                case FamilyKind::model:
                case FamilyKind::expert_model:
                case FamilyKind::world:
                    // These groups span stages: what a stage waits in them for is the end of
                    // the other stages' cool-down.
                    row.data += stage.communication_ps[f];
                    row.bubble += stage.skew_ps[f];
                    break;
                default:
                    row.data += stage.communication_ps[f];
                    row.skew += stage.skew_ps[f];
            }
        }
        rows.push_back(row);
    }
    return rows;
}

double hardware_utilization(const store::ResultData& data) {
    const double seconds = static_cast<double>(data.summary.iteration_time_ps) * 1e-12;
    const double possible =
        seconds * data.facts.device_peak_flops * static_cast<double>(data.world_size);
    return possible > 0 ? data.facts.hardware_flops_per_iteration / possible : 0;
}

std::array<double, 4> provenance_shares(const store::ResultData& data) {
    std::array<double, 4> shares{};
    double total = 0;
    for (const store::CoverageRow& row : data.coverage) {
        const auto time = static_cast<double>(row.time_ps);
        shares[static_cast<std::size_t>(row.provenance)] += time;
        total += time;
    }
    for (double& share : shares) {
        share = total > 0 ? share / total : 0;
    }
    return shares;
}

IterationSpread iteration_spread(const store::ResultData& data) {
    std::vector<std::int64_t> durations;
    for (const store::IterationRow& row : data.iterations) {
        durations.push_back(row.end_ps - row.start_ps);
    }
    if (durations.empty()) {
        return {};
    }
    std::sort(durations.begin(), durations.end());
    return {durations.front(), durations[durations.size() / 2], durations.back()};
}

std::vector<SlowRank> slowest_ranks(const store::ResultData& data, std::size_t count) {
    const store::RankColumns& ranks = data.ranks;
    std::vector<std::size_t> order(ranks.busy_ps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t kept = std::min(count, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                      [&](std::size_t a, std::size_t b) {
                          return ranks.busy_ps[a] != ranks.busy_ps[b]
                                     ? ranks.busy_ps[a] > ranks.busy_ps[b]
                                     : a < b;
                      });
    const auto iterations =
        static_cast<std::int64_t>(std::max<std::size_t>(1, data.iterations.size()));
    std::vector<SlowRank> slowest;
    for (std::size_t k = 0; k < kept; ++k) {
        const std::size_t i = order[k];
        slowest.push_back({ranks.virtual_rank[i], ranks.stage[i], ranks.busy_ps[i] / iterations});
    }
    return slowest;
}

std::vector<EquallyBusy> busiest(const store::ResultData& data, std::size_t count) {
    const store::RankColumns& ranks = data.ranks;
    const auto iterations =
        static_cast<std::int64_t>(std::max<std::size_t>(1, data.iterations.size()));
    std::vector<EquallyBusy> found;
    std::int64_t below = std::numeric_limits<std::int64_t>::max();
    while (found.size() < count) {
        EquallyBusy group;
        std::int64_t most = -1;
        std::set<std::int32_t> stages;
        for (std::size_t i = 0; i < ranks.busy_ps.size(); ++i) {
            const std::int64_t busy = ranks.busy_ps[i];
            if (busy >= below || busy < most) {
                continue;
            }
            if (busy > most) {
                most = busy;
                group = {busy / iterations, ranks.virtual_rank[i], 0, {}};
                stages.clear();
            }
            ++group.ranks;
            stages.insert(ranks.stage[i]);
        }
        if (group.ranks == 0) {
            break;
        }
        group.stages.assign(stages.begin(), stages.end());
        found.push_back(std::move(group));
        below = most;
    }
    return found;
}

namespace {

bool states_no_formula(const store::ResultData& data) {
    return data.published.flops_formula.empty();
}

/// The source counted FLOPs as we do, as far as it says how it did.
bool same_formula(const store::ResultData& data) {
    return states_no_formula(data) || data.published.flops_formula == data.facts.flops_formula;
}

/// Seconds an iteration took: as printed, or what the printed FLOP rate implies.
std::optional<double> published_seconds(const store::ResultData& data) {
    const store::PublishedValues& p = data.published;
    if (p.iteration_time_s || !p.model_tflops_per_gpu || !same_formula(data)) {
        return p.iteration_time_s;
    }
    return data.facts.model_flops_per_iteration /
           (*p.model_tflops_per_gpu * 1e12 * static_cast<double>(data.world_size));
}

}  // namespace

std::vector<PublishedQuantity> comparisons(const store::ResultData& data) {
    std::vector<PublishedQuantity> rows;
    const auto compare = [&](const char* quantity, const char* unit, double predicted,
                             const std::optional<double>& published, bool from_flops,
                             bool derived) {
        if (published && *published > 0) {
            rows.push_back({quantity, unit, predicted, *published, derived,
                            from_flops && states_no_formula(data)});
        }
    };
    const store::Summary& s = data.summary;
    const store::PublishedValues& p = data.published;
    const bool derived = !p.iteration_time_s;
    compare("iteration_time_s", "s", static_cast<double>(s.iteration_time_ps) * 1e-12,
            published_seconds(data), derived, derived);
    if (same_formula(data)) {
        compare("model_tflops_per_gpu", "TFLOP/s", s.model_tflops_per_gpu, p.model_tflops_per_gpu,
                true, false);
        compare("mfu", "1", s.mfu, p.mfu, true, false);
    }
    compare("tokens_per_s_per_gpu", "1/s", s.tokens_per_s_per_gpu, p.tokens_per_s_per_gpu, false,
            false);
    return rows;
}

std::string formula_text(const std::string& name) {
    if (name == "palm") {
        return "6 N + 12 L h s a token, N without input embedding; whole attention";
    }
    if (name == "causal") {
        return "6 N + 6 L h s a token, N without input embedding, causal attention";
    }
    return "Megatron-LM's 72 B s L h^2 (1 + s/6h + V/12Lh) for GQA and gated MLP; whole attention";
}

}  // namespace prismllm::report
