// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/error.hpp"

#include <gtest/gtest.h>

namespace prismllm {
namespace {

TEST(Error, FailFormatsTheMessageAndKeepsTheCode) {
    const Status status = fail(ErrorCode::resources, "{} of {} processes", 1, 2);

    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::resources);
    EXPECT_EQ(status.error().message, "1 of 2 processes");
}

TEST(Error, ContextIsPutBeforeTheMessage) {
    const Error error = with_context({ErrorCode::bad_input, "truncated"}, "reading a.h5");

    EXPECT_EQ(error.code, ErrorCode::bad_input);
    EXPECT_EQ(error.message, "reading a.h5: truncated");
}

TEST(Error, CodesAreTheDocumentedExitCodes) {
    EXPECT_EQ(static_cast<int>(ErrorCode::bad_deck), 3);
    EXPECT_EQ(static_cast<int>(ErrorCode::job_failed), 8);
    EXPECT_EQ(static_cast<int>(ErrorCode::interrupted), 75);
    EXPECT_EQ(name_of(ErrorCode::bad_deck), "bad_deck");
}

}  // namespace
}  // namespace prismllm
