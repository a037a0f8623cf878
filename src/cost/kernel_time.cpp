// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace prismllm::cost {
namespace {

/// The fits name FLOP/s and bytes/s; the formulas work per microsecond.
constexpr double per_us = 1e-6;

struct Tile {
    double rows, columns;
    double target::GemmFit::*efficiency;
};

constexpr std::array<Tile, 6> tiles{{{256, 128, &target::GemmFit::e256},
                                     {128, 256, &target::GemmFit::e256},
                                     {128, 128, &target::GemmFit::e128},
                                     {128, 64, &target::GemmFit::e64},
                                     {64, 128, &target::GemmFit::e64},
                                     {64, 64, &target::GemmFit::e6464}}};
constexpr std::array<double, 9> k_splits{1, 2, 3, 4, 6, 8, 12, 16, 32};
constexpr double least_split_depth = 128;  // no library splits K into thinner slices
constexpr double split_reduction_us = 1.5;
constexpr double throttle_flops = 2.0 * 4096 * 4096 * 4096;
constexpr double query_tile_rows = 128;

/// max-like joining of two overlapping times; scaled, since p may be large.
double joined(double a, double b, double p) {
    const double larger = std::max(a, b);
    if (larger <= 0)
        return 0;
    return larger * std::pow(1 + std::pow(std::min(a, b) / larger, p), 1 / p);
}

/// What does not depend on tile or split.
struct GemmWork {
    double m, n, k, batch;
    double traffic;   ///< bytes
    double throttle;  ///< factor on math time
};

double tiled_time_us(const DeviceRates& device, const target::GemmFit& fit, const GemmWork& work,
                     const Tile& tile, double split) {
    const double tile_count =
        std::ceil(work.m / tile.rows) * std::ceil(work.n / tile.columns) * split * work.batch;
    const double per_sm = tile_count / device.sm_count;
    const double sm_rate =
        device.peak_flops * per_us / device.sm_count * fit.*tile.efficiency;  // FLOP per us
    const double tile_us =
        2 * tile.rows * tile.columns * (work.k / split + fit.kf) / sm_rate * work.throttle +
        fit.c_us;
    const double math_us = wave_count(per_sm, fit.q) * tile_us;

    const bool is_split = split > 1;
    const double traffic =
        work.traffic + (is_split ? 8 * split * work.m * work.n * work.batch : 0.0);
    // Few tiles cannot keep the memory system busy.
    const double busy = 0.15 + 0.85 * std::min(1.0, 1.5 * std::min(1.0, per_sm));
    const double memory_us =
        traffic / (device.memory_bandwidth * per_us * fit.bw) / std::min(1.0, busy);
    return joined(math_us, memory_us, fit.p) + (is_split ? split_reduction_us : 0.0) + fit.t0_us;
}

}  // namespace

double wave_count(double tiles_per_sm, double q) {
    if (tiles_per_sm < 1)
        return 1;
    return (1 - q) * tiles_per_sm + q * std::ceil(tiles_per_sm);
}

double gemm_time_us(const DeviceRates& device, const target::GemmFit& fit, const GemmShape& shape) {
    const auto m = static_cast<double>(shape.m);
    const auto n = static_cast<double>(shape.n);
    const auto k = static_cast<double>(shape.k);
    const auto batch = static_cast<double>(shape.batch);
    const double flops = 2 * m * n * k * batch;
    const double operands =
        batch * (shape.input_bytes * (m * k + n * k) + shape.output_bytes * m * n);
    const GemmWork work{m,
                        n,
                        k,
                        batch,
                        std::max(operands, shape.least_traffic),
                        1 + fit.delta * flops / (flops + throttle_flops)};
    double best = std::numeric_limits<double>::infinity();
    for (const Tile& tile : tiles) {
        for (const double split : k_splits) {
            if (split > 1 && k / split < least_split_depth)
                break;
            best = std::min(best, tiled_time_us(device, fit, work, tile, split));
        }
    }
    if (shape.quantize && fit.bwq > 0) {
        best += fit.tq_us + 3 * m * k * batch / (device.memory_bandwidth * per_us * fit.bwq);
    }
    return best;
}

double attention_time_us(const DeviceRates& device, const target::AttentionFit& fit,
                         const AttentionShape& shape) {
    const auto seq_q = static_cast<double>(shape.seq_q);
    const auto seq_kv = static_cast<double>(shape.seq_kv);
    const auto heads = static_cast<double>(shape.heads);
    const auto both_dims = 2 * static_cast<double>(shape.head_dim);
    const auto batch = static_cast<double>(shape.batch);

    const double query_tiles = std::ceil(seq_q / query_tile_rows);
    const double per_sm = batch * heads * query_tiles / device.sm_count;
    // Mean key columns a query tile visits; (S + 128) / 2 for a square causal mask. Queries
    // are the last ones of the keys where there are fewer.
    const double columns =
        shape.causal ? seq_kv - std::min(seq_q, seq_kv) / 2 + query_tile_rows / 2 : seq_kv;
    const double column_us = 2 * query_tile_rows * both_dims * shape.work /
                             (device.peak_flops * per_us / device.sm_count * fit.emax);
    const double all_tiles_us =
        wave_count(per_sm, fit.q) * ((columns + fit.k0) * column_us + fit.c_us);
    const double longest_tile_us = (seq_kv + fit.k0) * column_us + fit.c_us;
    const double math_us = std::max(all_tiles_us, longest_tile_us);

    const double traffic = shape.element_bytes * batch * both_dims * shape.work *
                           (seq_q * heads + seq_kv * static_cast<double>(shape.kv_heads));
    const double memory_us = traffic / (device.memory_bandwidth * per_us * fit.bw);
    return joined(math_us, memory_us, fit.p) + fit.t0_us;
}

double streaming_time_us(const DeviceRates& device, double bytes, double efficiency, double t0_us) {
    return t0_us + bytes / (device.memory_bandwidth * per_us * efficiency);
}

}  // namespace prismllm::cost
