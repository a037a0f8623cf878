// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file kernel_time.hpp
/// The parametric time models of single kernels as plain functions of numbers. Formulas and
/// their fits: docs/explanation/cost_model.md. Times are microseconds in double.
#pragma once

#include <cstdint>

#include "prismllm/target/job.hpp"

namespace prismllm::cost {

/// The parts of a device that the kernel models read.
struct DeviceRates {
    double sm_count = 1;
    double peak_flops = 1;        ///< FLOP/s of the kernel's dtype
    double memory_bandwidth = 1;  ///< bytes/s
};

struct GemmShape {
    std::int64_t m = 1, n = 1, k = 1, batch = 1;
    double input_bytes = 2;   ///< of one element
    double output_bytes = 2;  ///< of one element
    /// Traffic the caller knows of (an accumulating weight gradient reads and writes fp32); the
    /// larger of this and operands plus result counts.
    double least_traffic = 0;
    bool quantize = false;  ///< fp8: the left operand comes in 16 bits and is quantized first
};

/// Tiled matrix product: best of six tiles and nine K splits.
[[nodiscard]] double gemm_time_us(const DeviceRates& device, const target::GemmFit& fit,
                                  const GemmShape& shape);

struct AttentionShape {
    std::int64_t batch = 1, seq_q = 1, seq_kv = 1, heads = 1, kv_heads = 1, head_dim = 1;
    bool causal = false;
    double element_bytes = 2;
    double work = 1;  ///< 1 forward, 2.5 backward, 3.5 both
};

/// Fused (flash) attention with tiles of 128 query rows.
[[nodiscard]] double attention_time_us(const DeviceRates& device, const target::AttentionFit& fit,
                                       const AttentionShape& shape);

/// Kernels bound by memory: t0 + bytes / (bandwidth x efficiency).
[[nodiscard]] double streaming_time_us(const DeviceRates& device, double bytes, double efficiency,
                                       double t0_us);

/// Whole waves where q = 1, work-proportional where q = 0; below one wave always one.
[[nodiscard]] double wave_count(double tiles_per_sm, double q);

}  // namespace prismllm::cost
