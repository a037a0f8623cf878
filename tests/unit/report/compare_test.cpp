// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/report/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prismllm::report {
namespace {

using testing::HasSubstr;

/// Two ranks, two iterations of 1 us, rank 0 with a kernel and a call, 100 bytes at most.
store::ResultData sample() {
    store::ResultData d;
    d.world_size = 2;
    d.classes = {{"stage 0", 0, 2, 2}};
    d.iterations = {{0, 1'000'000}, {1'000'000, 2'000'000}};
    d.ranks.end_ps = {1'000'000, 900'000, 2'000'000, 1'900'000};
    d.op_names.resize(graph::kernel_kind_count + 1);
    d.timeline = {{0, 0, 0, 400'000, 0, 0},
                  {0, 1, 400'000, 900'000, 0, graph::kernel_kind_count},
                  {0, 0, 1'000'000, 1'400'000, 1, 0},
                  {0, 1, 1'400'000, 1'900'000, 1, graph::kernel_kind_count}};
    d.real_ranks = {{0, 100, {40, 100}}};
    return d;
}

const Difference& row(const Comparison& comparison, const std::string& name) {
    for (const Difference& each : comparison.rows) {
        if (each.name == name) {
            return each;
        }
    }
    throw std::out_of_range{name};
}

TEST(Compare, EqualResultsDifferNowhere) {
    const auto comparison = compare(sample(), sample()).value();

    EXPECT_EQ(comparison.rows.size(), 8U);
    EXPECT_TRUE(comparison.notes.empty());
    EXPECT_EQ(comparison.worst().largest_relative, 0);
    for (const Difference& each : comparison.rows) {
        EXPECT_EQ(each.differing, 0) << each.name;
    }
    EXPECT_EQ(row(comparison, "iteration time").places, 2);
    EXPECT_EQ(row(comparison, "end of ranks").places, 4);
    EXPECT_EQ(row(comparison, "start of communication").places, 2);
    EXPECT_EQ(row(comparison, "allocated bytes behind each op").places, 2);
}

TEST(Compare, SaysHowFarWhatLiesApart) {
    store::ResultData other = sample();
    other.iterations[1].end_ps += 50'000;
    other.ranks.end_ps[2] += 50'000;
    other.timeline[3].end_ps -= 30'000;
    other.real_ranks[0].allocated_bytes[0] += 10;
    other.real_ranks[0].peak_allocated_bytes = 90;

    const auto comparison = compare(sample(), other).value();

    EXPECT_EQ(row(comparison, "iteration time").differing, 1);
    EXPECT_EQ(row(comparison, "iteration time").largest, 50'000);
    EXPECT_DOUBLE_EQ(row(comparison, "iteration time").mean, 25'000);
    EXPECT_DOUBLE_EQ(row(comparison, "iteration time").largest_relative, 0.05);
    EXPECT_DOUBLE_EQ(row(comparison, "end of ranks").mean, 12'500);
    EXPECT_EQ(row(comparison, "end of communication").largest, 30'000);
    EXPECT_DOUBLE_EQ(row(comparison, "end of communication").largest_relative, 0.03);
    EXPECT_EQ(row(comparison, "start of communication").differing, 0);
    EXPECT_EQ(row(comparison, "end of kernels").differing, 0);
    EXPECT_DOUBLE_EQ(row(comparison, "allocated bytes behind each op").largest_relative, 0.25);
    EXPECT_DOUBLE_EQ(row(comparison, "peak allocated bytes").largest_relative, 0.1);
    EXPECT_DOUBLE_EQ(comparison.worst().largest_relative, 0.25);
    EXPECT_EQ(comparison.worst().name, "allocated bytes behind each op");
}

TEST(Compare, NotesWhatOnlyOneResultHas) {
    store::ResultData other = sample();
    other.iterations.pop_back();
    other.ranks.end_ps.resize(2);
    other.timeline.clear();
    other.real_ranks.clear();

    const auto comparison = compare(sample(), other).value();

    EXPECT_EQ(comparison.rows.size(), 2U);
    ASSERT_EQ(comparison.notes.size(), 5U);
    EXPECT_THAT(comparison.notes[0], HasSubstr("2 and 1 iterations: the first 1"));
    EXPECT_THAT(comparison.notes[1], HasSubstr("start of communication: not in both"));
}

TEST(Compare, RefusesResultsOfTwoJobs) {
    store::ResultData more = sample();
    more.world_size = 3;
    store::ResultData longer = sample();
    longer.classes[0].ops = 7;
    store::ResultData shorter = sample();
    shorter.facts.tokens_per_iteration = 5;
    store::ResultData cut = sample();
    cut.facts.layout.emplace().tensor_parallel = 2;
    store::ResultData renumbered = sample();
    renumbered.timeline[3].op = 9;
    store::ResultData incomplete = sample();
    incomplete.timeline.pop_back();
    for (const store::ResultData* other :
         {&more, &longer, &shorter, &cut, &renumbered, &incomplete}) {
        const auto comparison = compare(sample(), *other);
        ASSERT_FALSE(comparison.has_value());
        EXPECT_EQ(comparison.error().code, ErrorCode::mismatch);
    }
}

TEST(Compare, TextAndJsonTellTheSame) {
    store::ResultData other = sample();
    other.iterations[1].end_ps += 50'000;
    const auto comparison = compare(sample(), other).value();

    EXPECT_THAT(text(comparison, "a.h5", "b.h5"), HasSubstr("b.h5 against a.h5"));
    EXPECT_THAT(text(comparison, "a.h5", "b.h5"), HasSubstr("50 ns"));
    const auto j = nlohmann::json::parse(json(comparison, "a.h5", "b.h5"));
    EXPECT_EQ(j["first"], "a.h5");
    EXPECT_EQ(j["differences"][0]["largest"], 50'000);
    EXPECT_DOUBLE_EQ(j["largest_relative"], 0.05);
}

}  // namespace
}  // namespace prismllm::report
