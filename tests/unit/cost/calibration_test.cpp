// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The models against a sample of the published measurements they were fitted to. Limits are the
// errors stated with the fits (docs/explanation/cost_model.md) plus a margin for sampling.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_time.hpp"
#include "machines.hpp"

namespace prismllm::cost {
namespace {

/// m, n, k, batch, seq, heads, kv_heads, head_dim, causal, time_us
using Row = std::array<double, 10>;

std::vector<Row> rows_of(const std::string& set) {
    std::ifstream file{PRISMLLM_SOURCE_DIR "/tests/data/calibration_kernels.csv"};
    EXPECT_TRUE(file.good());
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields{line};
        std::string field;
        std::getline(fields, field, ',');
        if (field != set)
            continue;
        Row row{};
        for (double& value : row) {
            std::getline(fields, field, ',');
            value = field.empty() ? 0 : std::stod(field);
        }
        rows.push_back(row);
    }
    return rows;
}

struct Errors {
    std::size_t points;
    double median, p90;
};

template <class Model>
Errors errors_of(const std::string& set, Model model) {
    std::vector<double> errors;
    for (const Row& row : rows_of(set)) {
        errors.push_back(100 * std::abs(model(row) / row[9] - 1));
    }
    if (errors.empty())
        return {0, 1e9, 1e9};
    std::sort(errors.begin(), errors.end());
    return {errors.size(), errors[errors.size() / 2], errors[errors.size() * 9 / 10]};
}

std::int64_t whole(double value) {
    return static_cast<std::int64_t>(value);
}

DeviceRates bf16_rates(const target::Device& device) {
    return {static_cast<double>(device.sm_count), device.bf16_flops, device.memory_bandwidth};
}

auto gemm_model(const target::Device& device) {
    return [device](const Row& r) {
        return gemm_time_us(bf16_rates(device), device.gemm_bf16,
                            {whole(r[0]), whole(r[1]), whole(r[2]), 1});
    };
}

auto attention_model(const target::Device& device, const target::AttentionFit& fit, double work) {
    return [=](const Row& r) {
        return attention_time_us(bf16_rates(device), fit,
                                 {whole(r[3]), whole(r[4]), whole(r[4]), whole(r[5]), whole(r[6]),
                                  whole(r[7]), r[8] > 0, 2, work});
    };
}

TEST(Calibration, MatchesMeasuredA100Products) {
    const Errors e = errors_of("a100_gemm_bf16", gemm_model(testing::a100()));

    ASSERT_GE(e.points, 300u);
    EXPECT_LT(e.median, 3.6 + 0.8);  // 3127 points: 3.6 % and 12.7 %
    EXPECT_LT(e.p90, 12.7 + 3);
}

TEST(Calibration, MatchesMeasuredH100Products) {
    const Errors e = errors_of("h100_gemm_bf16", gemm_model(testing::h100()));

    ASSERT_GE(e.points, 300u);
    EXPECT_LT(e.median, 3.6 + 0.8);  // 3243 points: 3.6 % and 11.7 %
    EXPECT_LT(e.p90, 11.7 + 3);
}

TEST(Calibration, MatchesMeasuredA100ForwardAttention) {
    const target::AttentionFit fit{0.579, 0.009, 4.76, 1, 0.34, 1.2, 0, "vLLM"};
    const Errors e = errors_of("a100_attention_forward", attention_model(testing::a100(), fit, 1));

    ASSERT_GE(e.points, 150u);
    EXPECT_LT(e.median, 5.0 + 1);  // 334 points: 5.0 % and 20.9 %
    EXPECT_LT(e.p90, 20.9 + 4);
}

TEST(Calibration, MatchesTheFlashAttention3Chart) {
    const target::AttentionFit fit{0.679, 0.38, 19.8, 0.77, 0.98, 4.6, 72, "chart"};
    const Errors e =
        errors_of("h100_attention_forward_fa3", attention_model(testing::h100(), fit, 1));

    ASSERT_EQ(e.points, 12u);
    EXPECT_LT(e.median, 1.1 + 0.5);
    EXPECT_LT(e.p90, 3.1 + 1);
}

TEST(Calibration, SplitsTheFlashAttention2ChartIntoForwardAndBackward) {
    // the two fits of the A100 machine file, made from one fit of their sum
    const target::AttentionFit forward{0.7144, 0.658, 11.05, 0.08, 0.5971, 5.5, 156, "chart"};
    const target::AttentionFit backward{0.6379, 1.842, 30.95, 0.08, 0.5332, 5.5, 156, "chart"};
    const auto sum = [forward_model = attention_model(testing::a100(), forward, 1),
                      backward_model = attention_model(testing::a100(), backward, 2.5)](
                         const Row& r) { return forward_model(r) + backward_model(r); };

    const Errors e = errors_of("a100_attention_both_fa2", sum);

    ASSERT_EQ(e.points, 11u);
    EXPECT_LT(e.median, 0.3 + 0.5);
    EXPECT_LT(e.p90, 5.4 + 1);
}

}  // namespace
}  // namespace prismllm::cost
