// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis.hpp"

namespace prismllm::report {
namespace {

using graph::FamilyKind;
using testing::HasSubstr;

/// Two stages of one rank; 10 ms an iteration over two iterations.
store::StoredResult small_result() {
    store::StoredResult r;
    store::ResultData& d = r.data;
    d.world_size = 2;
    d.facts.title = "A \"quoted\" job";
    d.facts.device_name = "H100";
    d.facts.flops_formula = "megatron";
    d.facts.device_peak_flops = 1e15;
    d.facts.model_flops_per_iteration = 1e13;
    d.facts.hardware_flops_per_iteration = 1.2e13;
    d.summary.iteration_time_ps = 10'000'000'000;
    d.summary.model_tflops_per_gpu = 500;
    d.summary.mfu = 0.5;
    d.families = {{"tp", FamilyKind::tensor, 1, 1},
                  {"pp", FamilyKind::pipeline, 1, 2},
                  {"world", FamilyKind::world, 1, 2},
                  {"dp", FamilyKind::data, 1, 1}};
    d.classes = {{"stage 0", 0, 1, 5}, {"stage 1", 1, 1, 5}};
    d.iterations = {{0, 10'000'000'000}, {10'000'000'000, 20'000'000'000}};
    d.stages = {{0, 1, 6'000'000'000, {1, 2, 3, 4}, {10, 20, 30, 40}, 5, 100},
                {1, 1, 7'000'000'000, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 200}};
    d.coverage = {{"gemm", graph::Provenance::calibrated, false, 300, 1},
                  {"send pp", graph::Provenance::modelled, true, 100, 1}};
    d.ranks.virtual_rank = {0, 1};
    d.ranks.stage = {0, 1};
    d.ranks.busy_ps = {12'000'000'000, 14'000'000'000};
    d.streams = {"compute"};
    d.op_names = {"gemm"};
    r.provenance.run.host_ranks = 1;
    return r;
}

TEST(Analysis, WaitingForOtherStagesIsBubbleAndForPeersSkew) {
    const auto rows = stage_times(small_result().data);

    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].tensor, 1);
    EXPECT_EQ(rows[0].pipeline, 2);
    EXPECT_EQ(rows[0].data, 3 + 4);
    EXPECT_EQ(rows[0].bubble, 20 + 30 + 5);  // pipeline, world, idle
    EXPECT_EQ(rows[0].skew, 10 + 40);
}

// 12 TFLOP in 10 ms on two devices of 1,000 TFLOP/s.
TEST(Analysis, HardwareUtilizationIsOfAllDevicesForTheWholeIteration) {
    store::ResultData data = small_result().data;
    EXPECT_DOUBLE_EQ(hardware_utilization(data), 0.6);

    data.facts.device_peak_flops = 0;
    EXPECT_EQ(hardware_utilization(data), 0);
}

TEST(Analysis, SlowestRanksAreOrderedByComputeTimeAnIteration) {
    const auto slowest = slowest_ranks(small_result().data, 5);

    ASSERT_EQ(slowest.size(), 2U);
    EXPECT_EQ(slowest[0].rank, 1);
    EXPECT_EQ(slowest[0].busy_ps, 7'000'000'000);
}

/// Ranks 0 to 7: two on stage 0, then stages 1 and 2 in turns, all of these equally busy but one.
store::StoredResult interleaved_result() {
    store::StoredResult r = small_result();
    r.data.ranks.virtual_rank = {0, 1, 2, 3, 4, 5, 6, 7};
    r.data.ranks.stage = {0, 0, 1, 2, 1, 2, 1, 2};
    r.data.ranks.busy_ps = {12, 12, 14, 14, 14, 14, 20, 14};  // over two iterations
    return r;
}

TEST(Analysis, EquallyBusyRanksAreCountedOverTheWholeJob) {
    const auto groups = busiest(interleaved_result().data, 2);

    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].busy_ps, 10);
    EXPECT_EQ(groups[0].first_rank, 6);
    EXPECT_EQ(groups[0].ranks, 1);
    EXPECT_EQ(groups[1].busy_ps, 7);
    EXPECT_EQ(groups[1].first_rank, 2);
    EXPECT_EQ(groups[1].ranks, 5);
    EXPECT_EQ(groups[1].stages, (std::vector<std::int32_t>{1, 2}));
    EXPECT_EQ(busiest(interleaved_result().data, 9).size(), 3U);
}

TEST(Text, EquallyBusyRanksOfSeveralStagesAreOneLine) {
    const std::string page = text(interleaved_result(), "");

    EXPECT_THAT(page, HasSubstr("10 ps   stage 1, rank 6\n"));
    EXPECT_THAT(page, HasSubstr("7 ps   stages 1 to 2, rank 2 and 4 others\n"));
    EXPECT_THAT(page, HasSubstr("6 ps   stage 0, rank 0 and 1 other\n"));
}

TEST(Analysis, ProvenanceSharesSumToOne) {
    const auto shares = provenance_shares(small_result().data);

    EXPECT_DOUBLE_EQ(shares[static_cast<std::size_t>(graph::Provenance::calibrated)], 0.75);
    EXPECT_DOUBLE_EQ(shares[static_cast<std::size_t>(graph::Provenance::modelled)], 0.25);
}

TEST(Analysis, AFlopRateGivesThePublishedTimeWhereNoneIsPrinted) {
    store::StoredResult r = small_result();
    r.data.published.model_tflops_per_gpu = 400;

    const auto rows = comparisons(r.data);

    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].quantity, "iteration_time_s");
    EXPECT_TRUE(rows[0].derived);
    EXPECT_DOUBLE_EQ(rows[0].published, 1e13 / (400e12 * 2));  // 12.5 ms
    EXPECT_DOUBLE_EQ(rows[0].error(), -0.2);
}

TEST(Analysis, FlopRatesOfAnotherFormulaAreNotCompared) {
    store::StoredResult r = small_result();
    r.data.published.model_tflops_per_gpu = 400;
    r.data.published.flops_formula = "hardware_full_recompute";

    EXPECT_TRUE(comparisons(r.data).empty());
}

TEST(Text, AndJsonSayWhereTheSourceStatesNoFormula) {
    store::StoredResult r = small_result();
    r.data.published.mfu = 0.4;
    r.data.published.tokens_per_s_per_gpu = 100;
    const char* words = "states no FLOP formula: compared as if it were megatron";

    const std::string page = text(r, "");
    const auto unstated = nlohmann::json::parse(json(r, ""))["published"];
    r.data.published.flops_formula = "megatron";
    const std::string stated_page = text(r, "");
    const auto stated = nlohmann::json::parse(json(r, ""))["published"];

    EXPECT_THAT(page, HasSubstr(words));
    EXPECT_THAT(stated_page, testing::Not(HasSubstr(words)));
    EXPECT_EQ(unstated["mfu"]["formula_assumed"], true);
    EXPECT_EQ(unstated["tokens_per_s_per_gpu"]["formula_assumed"], false);  // counts no FLOPs
    EXPECT_EQ(stated["mfu"]["formula_assumed"], false);
}

TEST(Text, ExplainsAnHfuBelowMfuWhereFusedAttentionIsTheCause) {
    store::StoredResult r = small_result();
    r.data.facts.hardware_flops_per_iteration = 0.9e13;  // HFU 45 %, MFU 50 %
    const char* words =
        "below MFU, whose formula counts the masked half of attention; kernels skip it";

    const std::string unfused = text(r, "");
    r.data.coverage.push_back({"attention_forward", graph::Provenance::calibrated, false, 1, 1});
    const std::string fused = text(r, "");
    r.data.facts.flops_formula = "causal";
    const std::string causal = text(r, "");

    EXPECT_THAT(fused, HasSubstr(words));
    EXPECT_THAT(unfused, testing::Not(HasSubstr(words)));
    EXPECT_THAT(causal, testing::Not(HasSubstr(words)));
}

TEST(Text, AndJsonTellTheLayoutWhereTheFileHasIt) {
    store::StoredResult r = small_result();
    EXPECT_TRUE(nlohmann::json::parse(json(r, ""))["layout"].is_null());
    graph::JobLayout layout;
    layout.tensor_parallel = 8;
    layout.pipeline_parallel = 4;
    layout.virtual_pipeline = 2;
    layout.data_parallel = 64;
    layout.zero_stage = 1;
    layout.sequence_parallel = true;
    layout.global_batch_size = 2048;
    layout.sequence_length = 8192;
    r.data.facts.layout = layout;

    const std::string page = text(r, "");
    const auto j = nlohmann::json::parse(json(r, ""))["layout"];

    EXPECT_THAT(page, HasSubstr("  TP 8 x CP 1 x PP 4 (2 chunks) x DP 64, sequence parallel, "
                                "distributed optimizer\n"
                                "  micro batch 1, global batch 2,048, sequence 8,192\n"));
    EXPECT_EQ(j["tensor_parallel"], 8);
    EXPECT_EQ(j["data_parallel"], 64);
    EXPECT_EQ(j["sequence_parallel"], true);
    EXPECT_EQ(j["global_batch_size"], 2048);
}

TEST(Text, NamesUnitsPublishedErrorAndWarnings) {
    store::StoredResult r = small_result();
    r.data.published.source = "a paper";
    r.data.published.iteration_time_s = 0.008;
    r.data.warnings = {"memory is short."};

    const std::string page = text(r, "r.h5");

    EXPECT_THAT(page, HasSubstr("iteration time     10 ms"));
    EXPECT_THAT(page, HasSubstr("a paper"));
    EXPECT_THAT(page, HasSubstr("+25.0 %"));
    EXPECT_THAT(page, HasSubstr("warning: memory is short."));
    EXPECT_THAT(page, HasSubstr("result file r.h5"));
}

TEST(Json, HoldsTheDocumentedKeysAndEscapesText) {
    const auto j = nlohmann::json::parse(json(small_result(), "r.h5"));

    for (const char* key :
         {"iteration_time_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu", "mfu", "hfu",
          "world_size", "host_ranks", "rank_classes", "participant_ops", "slicing_wall_s",
          "engine_wall_s", "total_wall_s", "peak_memory_bytes", "provenance", "published",
          "result_file", "deck_sha256"}) {
        EXPECT_TRUE(j.contains(key)) << key;
    }
    EXPECT_EQ(j["title"], "A \"quoted\" job");
    EXPECT_DOUBLE_EQ(j["iteration_time_s"], 0.01);
    EXPECT_EQ(j["rank_classes"], 2);
}

TEST(ChromeTrace, KeepsEveryPicosecond) {
    store::StoredResult r = small_result();
    store::TimelineOp op;
    op.start_ps = 1'000'001;
    op.end_ps = 2'500'003;
    r.data.timeline = {op};

    const std::string trace = chrome_trace(r);

    EXPECT_THAT(trace, HasSubstr("\"ts\":1.000001,\"dur\":1.500002"));
    EXPECT_EQ(nlohmann::json::parse(trace)["traceEvents"].size(), 3U);  // process, thread, op
}

TEST(ChromeTrace, IsValidWithoutTimelines) {
    EXPECT_TRUE(nlohmann::json::parse(chrome_trace(small_result()))["traceEvents"].empty());
}

TEST(StagesCsv, HasOneRowAStageUnderAHeader) {
    const std::string csv = stages_csv(small_result());

    EXPECT_THAT(csv, HasSubstr("stage,ranks,compute_ps"));
    EXPECT_THAT(csv, HasSubstr("\n0,1,6000000000,1,7,2,55,50,100\n"));
}

}  // namespace
}  // namespace prismllm::report
