// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What text and JSON both say, computed once from a stored result.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prismllm/store/result_file.hpp"

namespace prismllm::report {

/// How a stage spends an iteration, mean over its ranks, picoseconds.
struct StageTimes {
    std::int32_t stage = 0;
    std::int64_t ranks = 0;
    std::int64_t compute = 0;
    std::int64_t tensor = 0, data = 0, pipeline = 0;  ///< exposed communication
    std::int64_t bubble = 0;  ///< waiting for other stages, and idle after the last op
    std::int64_t skew = 0;    ///< waiting for slower members of other groups
    std::int64_t peak_memory_bytes = 0;
};
[[nodiscard]] std::vector<StageTimes> stage_times(const store::ResultData& data);

/// FLOPs that the kernels of all ranks execute, as a share of what the devices could at their
/// datasheet peak; 0 where the peak is not known.
[[nodiscard]] double hardware_utilization(const store::ResultData& data);

/// Share of kernel and communication time by provenance, indexed by graph::Provenance.
[[nodiscard]] std::array<double, 4> provenance_shares(const store::ResultData& data);

/// Shortest, median and longest iteration, picoseconds; zeros where there is none.
struct IterationSpread {
    std::int64_t shortest = 0, median = 0, longest = 0;
};
[[nodiscard]] IterationSpread iteration_spread(const store::ResultData& data);

struct SlowRank {
    std::int64_t rank = 0;
    std::int32_t stage = 0;
    std::int64_t busy_ps = 0;  ///< per iteration
};
/// Ranks with the most compute time, at most `count`, ties by rank.
[[nodiscard]] std::vector<SlowRank> slowest_ranks(const store::ResultData& data, std::size_t count);

/// All ranks of the job that compute for the same time.
struct EquallyBusy {
    std::int64_t busy_ps = 0;  ///< per iteration
    std::int64_t first_rank = 0;
    std::int64_t ranks = 0;
    std::vector<std::int32_t> stages;  ///< those with such a rank, ascending
};
/// The `count` longest compute times, each with every rank that has it.
[[nodiscard]] std::vector<EquallyBusy> busiest(const store::ResultData& data, std::size_t count);

/// Predicted against published: (predicted - published) / published. FLOP rates are compared
/// where the source counts as we do or does not say how it counts.
struct PublishedQuantity {
    std::string quantity;  ///< JSON key
    std::string unit;
    double predicted = 0, published = 0;
    bool derived = false;          ///< the published value follows from its printed FLOP rate
    bool formula_assumed = false;  ///< a FLOP rate of unstated formula, taken to be ours
    [[nodiscard]] double error() const { return predicted / published - 1; }
};
[[nodiscard]] std::vector<PublishedQuantity> comparisons(const store::ResultData& data);

/// What a formula name means, for a reader.
[[nodiscard]] std::string formula_text(const std::string& name);

}  // namespace prismllm::report
