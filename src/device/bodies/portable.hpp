// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What the bodies of operations need to be the same code on the host and on a GPU.
///
/// A body does one element, one row or one column. It reads and writes through load() and store(),
/// in fp32 whatever lies in memory; a row is shared by the threads of a team.
#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define PRISMLLM_PORTABLE __host__ __device__
#else
#define PRISMLLM_PORTABLE
#endif

namespace prismllm::device {

PRISMLLM_PORTABLE inline float load(const float* data, std::int64_t element) {
    return data[element];
}
PRISMLLM_PORTABLE inline void store(float* data, std::int64_t element, float value) {
    data[element] = value;
}

/// A team of one: work in order. Other teams deal it to their threads; what each() wrote may be
/// read after the next sum() or largest().
struct SerialTeam {
    template <class Body>
    PRISMLLM_PORTABLE void each(std::int64_t count, const Body& body) const {
        for (std::int64_t i = 0; i < count; ++i) {
            body(i);
        }
    }
    /// In double: with 100,000 equal terms fp32 would be wrong by 1e-3.
    template <class Term>
    PRISMLLM_PORTABLE double sum(std::int64_t count, const Term& term) const {
        double all = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            all += static_cast<double>(term(i));
        }
        return all;
    }
    template <class Term>
    PRISMLLM_PORTABLE float largest(std::int64_t count, float least, const Term& term) const {
        for (std::int64_t i = 0; i < count; ++i) {
            const float value = term(i);
            least = value > least ? value : least;
        }
        return least;
    }
    /// Threads wait for one another.
    PRISMLLM_PORTABLE void gather() const {}
    /// What one thread does for all.
    template <class Body>
    PRISMLLM_PORTABLE void once(const Body& body) const {
        body();
    }
};

}  // namespace prismllm::device
