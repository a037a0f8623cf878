// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "prismllm/report/report.hpp"

#include "analysis.hpp"

namespace prismllm::report {
namespace {

using Json = nlohmann::ordered_json;

double seconds(std::int64_t ps) {
    return static_cast<double>(ps) * 1e-12;
}

Json published(const store::ResultData& d) {
    Json object = Json::object();
    object["source"] = d.published.source;
    object["note"] = d.published.note;
    for (const PublishedQuantity& row : comparisons(d)) {
        object[row.quantity] = {{"published", row.published},
                                {"predicted", row.predicted},
                                {"error", row.error()},
                                {"derived", row.derived},
                                {"formula_assumed", row.formula_assumed}};
    }
    return object;
}

Json layout(const store::ResultData& d) {
    if (!d.facts.layout) {
        return nullptr;
    }
    const graph::JobLayout& l = *d.facts.layout;
    return {{"tensor_parallel", l.tensor_parallel},
            {"context_parallel", l.context_parallel},
            {"pipeline_parallel", l.pipeline_parallel},
            {"virtual_pipeline", l.virtual_pipeline},
            {"data_parallel", l.data_parallel},
            {"expert_parallel", l.expert_parallel},
            {"expert_tensor_parallel", l.expert_tensor_parallel},
            {"sequence_parallel", l.sequence_parallel},
            {"zero_stage", l.zero_stage},
            {"micro_batch_size", l.micro_batch_size},
            {"micro_batches", l.micro_batches},
            {"global_batch_size", l.global_batch_size},
            {"sequence_length", l.sequence_length}};
}

Json provenance(const store::StoredResult& r) {
    Json object = Json::object();
    const auto shares = provenance_shares(r.data);
    for (std::size_t p = 0; p < shares.size(); ++p) {
        object[std::string{name_of(static_cast<graph::Provenance>(p))}] = shares[p];
    }
    Json coverage = Json::array();
    for (const store::CoverageRow& row : r.data.coverage) {
        coverage.push_back({{"name", row.name},
                            {"provenance", name_of(row.provenance)},
                            {"communication", row.communication},
                            {"time_s_per_rank", seconds(row.time_ps)},
                            {"calls_per_rank", row.calls}});
    }
    object["coverage"] = std::move(coverage);
    return object;
}

Json stages(const store::ResultData& d) {
    Json rows = Json::array();
    const auto booked = [&](std::int64_t ps) { return d.accounts ? Json(seconds(ps)) : Json(); };
    for (const StageTimes& t : stage_times(d)) {
        rows.push_back({{"stage", t.stage},
                        {"ranks", t.ranks},
                        {"compute_s", seconds(t.compute)},
                        {"tensor_communication_s", booked(t.tensor)},
                        {"data_communication_s", booked(t.data)},
                        {"pipeline_communication_s", booked(t.pipeline)},
                        {"bubble_s", booked(t.bubble)},
                        {"skew_s", booked(t.skew)},
                        {"peak_memory_bytes", t.peak_memory_bytes}});
    }
    return rows;
}

Json slow_ranks(const store::ResultData& d) {
    Json rows = Json::array();
    for (const SlowRank& r : slowest_ranks(d, 10)) {
        rows.push_back({{"rank", r.rank}, {"stage", r.stage}, {"compute_s", seconds(r.busy_ps)}});
    }
    return rows;
}

}  // namespace

std::string json(const store::StoredResult& result, const std::string& file) {
    const store::ResultData& d = result.data;
    const store::Summary& s = d.summary;
    const store::RunFacts& run = result.provenance.run;
    Json j;
    j["title"] = d.facts.title;
    j["layout"] = layout(d);
    j["iteration_time_s"] = seconds(s.iteration_time_ps);
    const IterationSpread spread = iteration_spread(d);
    j["iteration_time_min_s"] = seconds(spread.shortest);
    j["iteration_time_median_s"] = seconds(spread.median);
    j["iteration_time_max_s"] = seconds(spread.longest);
    j["tokens_per_s_per_gpu"] = s.tokens_per_s_per_gpu;
    j["model_tflops_per_gpu"] = s.model_tflops_per_gpu;
    j["flops_formula"] = d.facts.flops_formula;
    j["mfu"] = s.mfu;
    j["hfu"] = hardware_utilization(d);
    j["world_size"] = d.world_size;
    j["host_ranks"] = run.host_ranks;
    j["rank_classes"] = d.classes.size();
    j["participant_ops"] = s.participant_ops;
    j["iterations"] = d.iterations.size();
    j["slicing_wall_s"] = run.slicing_wall_s;
    j["engine_wall_s"] = run.engine_wall_s;
    j["total_wall_s"] = run.total_wall_s;
    j["state_bytes_per_participant"] = run.state_bytes_per_participant;
    j["peak_memory_bytes"] = s.peak_memory_bytes;
    j["stages"] = stages(d);
    j["slowest_ranks"] = slow_ranks(d);
    if (!d.real_ranks.empty()) {
        Json real = Json::array();
        for (const store::RealRankRow& row : d.real_ranks) {
            real.push_back({{"virtual_rank", row.virtual_rank},
                            {"peak_allocated_bytes", row.peak_allocated_bytes}});
        }
        j["real_ranks"] = real;
        j["losses"] = d.losses;
        const store::RealFacts& facts = run.real;
        j["real_clock"] = {{"answers_awaited", facts.awaited},
                           {"answers_late", facts.late},
                           {"late_s", seconds(facts.late_ps)},
                           {"latest_s", seconds(facts.latest_ps)},
                           {"held_s", seconds(facts.held_ps)},
                           {"handed_over", facts.handed_over},
                           {"handing_over_s", seconds(facts.handing_over_ps)}};
    }
    j["provenance"] = provenance(result);
    j["published"] = published(d);
    j["warnings"] = d.warnings;
    j["result_file"] = file;
    j["deck_sha256"] = result.provenance.deck_sha256;
    return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace prismllm::report
