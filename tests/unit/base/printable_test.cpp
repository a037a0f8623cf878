// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/printable.hpp"

#include <gtest/gtest.h>

namespace prismllm {
namespace {

using namespace std::string_view_literals;

TEST(Printable, EscapesControlCharactersOfAllSorts) {
    EXPECT_EQ(printable("a\0b\x1b[31m\x7f\r\t"sv), "a\\x00b\\x1b[31m\\x7f\\x0d\\x09");
    EXPECT_EQ(printable("\x9b"
                        "31m"),
              "\\x9b31m");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "\\x9b31m");
}

TEST(Printable, LeavesTextOfPeopleAlone) {
    const std::string text = "caf\xc3\xa9 \xe2\x82\xac \xe6\x97\xa5 \xf0\x9f\x98\x80 \xc3\x80";

    EXPECT_EQ(printable(text), text);
}

TEST(Printable, KeepsNewlinesWhereLinesAreMeant) {
    EXPECT_EQ(printable("a\nb"), "a\\x0ab");
    EXPECT_EQ(printable("a\nb", Newlines::kept), "a\nb");
}

}  // namespace
}  // namespace prismllm
