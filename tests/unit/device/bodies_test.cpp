// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What bodies do differently where elements are not stored in fp32, as on a GPU.
#include <vector>

#include <gtest/gtest.h>

#include "bodies/rows.hpp"
#include "finite_differences.hpp"
#include "rounding.hpp"
#include "vocabulary.hpp"

namespace prismllm::device {
namespace {

/// bf16 in memory.
struct Narrow {
    float* data = nullptr;
};
float load(const Narrow& p, std::int64_t i) {
    return p.data[i];
}
void store(const Narrow& p, std::int64_t i, float value) {
    p.data[i] = value;
    round_to(graph::DType::bf16, {p.data + i, 1});
}

TEST(Bodies, ASoftmaxIsRoundedOnce) {
    constexpr std::int64_t length = 33;
    constexpr std::int64_t count = 30;
    const Values in = numbers(length, 3);
    Values exact(length);
    Values narrow(length, -1);
    const float sum =
        bodies::softmax(SerialTeam{}, 0, count, length, 0.5F, in.data(), exact.data());
    EXPECT_EQ(
        bodies::softmax(SerialTeam{}, 0, count, length, 0.5F, in.data(), Narrow{narrow.data()}),
        sum);
    round_to(graph::DType::bf16, exact);
    EXPECT_EQ(narrow, exact);
}

TEST(Bodies, ASoftmaxMayStandInPlaceOfItsInput) {
    constexpr std::int64_t length = 12;
    Values narrow = numbers(length, 4);
    round_to(graph::DType::bf16, narrow);
    Values exact = narrow;
    (void)bodies::softmax(SerialTeam{}, 0, length, length, 1, exact.data(), exact.data());
    (void)bodies::softmax(SerialTeam{}, 0, length, length, 1, Narrow{narrow.data()},
                          Narrow{narrow.data()});
    round_to(graph::DType::bf16, exact);
    EXPECT_EQ(narrow, exact);
}

TEST(Bodies, EmbeddingGradientsOfOneIdAreSummedByItsFirstToken) {
    constexpr std::int64_t columns = 3;
    constexpr std::int64_t rows = 4;
    // Of rows 10 ... 13; the others belong to other ranks.
    const std::vector<std::int64_t> ids{11, 13, 11, 2, 11, 14, 13};
    const auto tokens = static_cast<std::int64_t>(ids.size());
    const Values grad = numbers(tokens * columns, 1);
    Values expected = numbers(rows * columns, 2);
    Values dense = expected;
    embedding_backward(columns, 10, ids, grad, expected);
    for (std::int64_t t = tokens - 1; t >= 0; --t) {  // in any order
        bodies::embedding_backward(SerialTeam{}, t, tokens, columns, 10, rows, ids.data(),
                                   grad.data(), dense.data());
    }
    EXPECT_EQ(dense, expected);
}

}  // namespace
}  // namespace prismllm::device
