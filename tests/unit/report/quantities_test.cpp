// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "quantities.hpp"

#include <gtest/gtest.h>

namespace prismllm::report {
namespace {

TEST(Quantities, DigitsAreGroupedInThrees) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(Quantities, DurationsTakeTheLargestUnitThatFits) {
    EXPECT_EQ(duration(0), "0 ps");
    EXPECT_EQ(duration(999), "999 ps");
    EXPECT_EQ(duration(1'500), "1.5 ns");
    EXPECT_EQ(duration(214'700'000), "214.7 us");
    EXPECT_EQ(duration(10'310'000'000'000), "10.31 s");
}

TEST(Quantities, BytesAreBinary) {
    EXPECT_EQ(bytes(1023), "1023 B");
    EXPECT_EQ(bytes(1024), "1.00 KiB");
    EXPECT_EQ(bytes(85'899'345'920), "80.00 GiB");
}

TEST(Quantities, ShareOfNothingIsNotANumber) {
    EXPECT_EQ(share(1, 4), "25.0 %");
    EXPECT_EQ(share(1, 0), "-");
}

}  // namespace
}  // namespace prismllm::report
