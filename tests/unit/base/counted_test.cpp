// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/counted.hpp"

#include <gtest/gtest.h>

namespace prismllm {
namespace {

TEST(Counted, TakesThePluralWhereThereIsNotOne) {
    EXPECT_EQ(counted(1, "rank"), "1 rank");
    EXPECT_EQ(counted(2U, "rank"), "2 ranks");
    EXPECT_EQ(counted(0L, "rank class"), "0 rank classes");
}

}  // namespace
}  // namespace prismllm
