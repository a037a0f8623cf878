// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/store/result_file.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "../../support/store_samples.hpp"

namespace prismllm::store {
namespace {

TEST(ResultFile, GivesBackEveryFieldThatWasWritten) {
    const samples::Folder folder{"result"};
    const auto data = samples::result();

    const auto written = write_result(folder.file("r.h5"), data, samples::provenance());
    const auto read = read_result(folder.file("r.h5"));

    ASSERT_TRUE(written.has_value()) << written.error().message;
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->data, data);
    EXPECT_EQ(read->provenance, samples::provenance());
    EXPECT_FALSE(samples::has_unfinished_file(folder.file("r.h5")));
}

// As files of schema 1.1 are.
TEST(ResultFile, ReadsAFileWithoutTheLayoutOfTheJob) {
    const samples::Folder folder{"result-old"};
    auto data = samples::result();
    data.facts.layout.reset();

    ASSERT_TRUE(write_result(folder.file("r.h5"), data, samples::provenance()));
    const auto read = read_result(folder.file("r.h5"));
    const auto origin = provenance_of(folder.file("r.h5"));

    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->data, data);
    ASSERT_TRUE(origin.has_value()) << origin.error().message;
    EXPECT_EQ(*origin, samples::provenance());
}

TEST(ResultFile, RefusesALayoutThatCannotBe) {
    const samples::Folder folder{"result-layout"};
    auto data = samples::result();
    data.facts.layout->data_parallel = 0;

    ASSERT_TRUE(write_result(folder.file("r.h5"), data, samples::provenance()));
    const auto read = read_result(folder.file("r.h5"));

    ASSERT_FALSE(read.has_value());
    EXPECT_NE(read.error().message.find("data_parallel' is 0, 1 or more is possible"),
              std::string::npos);
}

// More than one chunk (4,096 rows), and a last chunk that is not full.
TEST(ResultFile, RefusesTimesThatCannotBe) {
    const samples::Folder folder{"result-times"};
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const auto is_refused = [&](auto change) {
        auto data = samples::result();
        change(data);
        EXPECT_TRUE(write_result(folder.file("r.h5"), data, samples::provenance()));
        const auto read = read_result(folder.file("r.h5"));
        return !read && read.error().code == ErrorCode::bad_input;
    };
    EXPECT_FALSE(is_refused([](ResultData&) {}));
    for (const std::int32_t iteration : {-1, 2, 2147483647}) {
        EXPECT_TRUE(is_refused([&](ResultData& d) { d.timeline[3].iteration = iteration; }));
    }
    EXPECT_TRUE(is_refused([](ResultData& d) { d.timeline[3].op = -1; }));
    EXPECT_TRUE(is_refused([](ResultData& d) { d.timeline[3].start_ps = least; }));
    EXPECT_TRUE(is_refused([](ResultData& d) { d.timeline[3].end_ps = 0; }));
    EXPECT_TRUE(is_refused([](ResultData& d) { d.iterations[1].end_ps = 5; }));
    EXPECT_TRUE(is_refused([](ResultData& d) { d.ranks.end_ps[2] = least; }));
    EXPECT_TRUE(is_refused([](ResultData& d) { d.real_ranks[0].allocated_bytes[1] = -1; }));
    EXPECT_TRUE(is_refused([](ResultData& d) { d.real_ranks[1].virtual_rank = d.world_size; }));
}

TEST(ResultFile, GivesBackManyRanks) {
    const samples::Folder folder{"result-many"};
    const auto data = samples::result(10'000, 3);

    ASSERT_TRUE(write_result(folder.file("r.h5"), data, samples::provenance()));
    const auto read = read_result(folder.file("r.h5"));

    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->data, data);
}

TEST(ResultFile, KeepsAResultWithoutTimelineFamiliesAndIterations) {
    const samples::Folder folder{"result-bare"};
    ResultData data;
    data.world_size = 1;
    data.classes = {{"all", 0, 1, 0}};
    samples::add_rank(data, 0);
    data.ranks.rank_class = {0};

    ASSERT_TRUE(write_result(folder.file("r.h5"), data, Provenance{}));
    const auto read = read_result(folder.file("r.h5"));

    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->data, data);
}

TEST(ResultFile, RefusesRanksThatDoNotCoverTheJob) {
    const samples::Folder folder{"result-part"};
    auto data = samples::result_tables(16, 1);
    samples::add_rank(data, 3);
    samples::fill_ends(data);

    const auto written = write_result(folder.file("r.h5"), data, samples::provenance());

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::internal);
    EXPECT_FALSE(std::filesystem::exists(folder.file("r.h5")));
}

TEST(ResultFile, RefusesColumnsOfDifferentLength) {
    const samples::Folder folder{"result-ragged"};
    auto data = samples::result();
    data.ranks.skew_ps.pop_back();

    const auto written = write_result(folder.file("r.h5"), data, samples::provenance());

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::internal);
}

TEST(ResultFile, RefusesATimelineThatNamesNothing) {
    const samples::Folder folder{"result-names"};
    auto data = samples::result();
    data.timeline[3].name = 2;  // there are two names: 0 and 1

    const auto written = write_result(folder.file("r.h5"), data, samples::provenance());

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::internal);
}

}  // namespace
}  // namespace prismllm::store
