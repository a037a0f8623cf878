// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Products inside of larger matrices, and sums of many terms.
#include "matrix.hpp"

#include "finite_differences.hpp"

namespace prismllm::device {
namespace {

TEST(ColumnSums, OfManySmallNumbersBesideALargeOneLoseNone) {
    Values column(1001, 0.5F);
    column[0] = 0x1p24F;  // fp32 sums would drop each half
    Values sum(1);

    column_sums(column, sum);

    EXPECT_EQ(sum[0], 0x1p24F + 500);
}

TEST(Multiply, WorksInsideOfLargerMatrices) {
    const Values a{1, 2, 3, -1, 4, 5, 6, -1};  // 2 x 3 in rows of 4
    const Values b{1, 0, 2, -1, 0, 1, 3, -1};  // transposed: 2 x 3 in rows of 4
    Values c{10, 20, 77, 30, 40, 77};          // 2 x 2 in rows of 3

    multiply(2, 2, 3, 2, {a.data(), 4}, {b.data(), 4, true}, 0.5F, c.data(), 3);

    EXPECT_EQ(c, (Values{19, 32, 77, 47, 66, 77}));
}

}  // namespace
}  // namespace prismllm::device
