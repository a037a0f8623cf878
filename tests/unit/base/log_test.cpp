// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/log.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prismllm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string>& lines() {
    static std::vector<std::string> kept;
    return kept;
}

class Log : public testing::Test {
protected:
    Log() {
        lines().clear();
        set_log_sink([](std::string_view line) { lines().emplace_back(line); });
    }
    ~Log() override {
        set_log_sink(nullptr);
        set_log_host_rank(HostRank{0});
        EXPECT_TRUE(set_log_levels("info").has_value());
    }
};

TEST_F(Log, RootSpeaksOnlyOnHostRankZero) {
    log_root(LogLevel::info, "report", "read {} keys", 12);
    set_log_host_rank(HostRank{3});
    log_root(LogLevel::info, "report", "not said");

    EXPECT_THAT(lines(), ElementsAre("I report  read 12 keys"));
}

TEST_F(Log, ShowsControlCharactersInsteadOfSendingThem) {
    log_root(LogLevel::error, "prismllm", "{}", std::string{"a\0\x1b[2J\nb", 8});

    EXPECT_THAT(lines(), ElementsAre("E prismllm  a\\x00\\x1b[2J\nb"));
}

TEST_F(Log, HereNamesTheHostRank) {
    set_log_host_rank(HostRank{3});

    log_here(LogLevel::warning, "placement", "late");

    EXPECT_THAT(lines(), ElementsAre("W placement h0003  late"));
}

TEST_F(Log, AChannelCanBeMoreTalkativeThanTheRest) {
    ASSERT_TRUE(set_log_levels("warning,placement:debug").has_value());

    log_root(LogLevel::info, "report", "hidden");
    log_root(LogLevel::debug, "placement", "shown");
    log_root(LogLevel::trace, "placement", "hidden");

    EXPECT_THAT(lines(), ElementsAre("D placement  shown"));
}

TEST_F(Log, SilentHidesErrorsToo) {
    ASSERT_TRUE(set_log_levels("silent").has_value());

    log_root(LogLevel::error, "report", "hidden");

    EXPECT_THAT(lines(), IsEmpty());
    EXPECT_FALSE(log_enabled(LogLevel::silent, "report"));
}

TEST_F(Log, AnUnknownLevelIsRefusedAndChangesNothing) {
    const Status status = set_log_levels("debug,placement:loud");

    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::usage);
    EXPECT_THAT(status.error().message, HasSubstr("'placement:loud'"));
    EXPECT_FALSE(log_enabled(LogLevel::debug, "report"));
}

TEST_F(Log, AnEmptyChannelOrLevelIsRefused) {
    EXPECT_FALSE(set_log_levels(":debug").has_value());
    EXPECT_FALSE(set_log_levels("info,,debug").has_value());
}

}  // namespace
}  // namespace prismllm
