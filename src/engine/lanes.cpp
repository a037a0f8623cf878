// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes.hpp"

#include <cstring>

#include "prismllm/base/random.hpp"

// One function, three instruction sets, chosen when the library is loaded (glibc's ifunc, which
// sanitizers do not survive).
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(PRISMLLM_SANITIZED) && \
    (defined(__clang__) ? __clang_major__ >= 14 : __GNUC__ >= 12)
#define PRISMLLM_LANES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define PRISMLLM_LANES
#endif

// Tells the compiler that arrays which may be the same do not overlap otherwise.
#if defined(__clang__)
#define PRISMLLM_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PRISMLLM_INDEPENDENT _Pragma("GCC ivdep")
#else
#define PRISMLLM_INDEPENDENT
#endif

namespace prismllm::engine::lanes {
namespace {

[[gnu::always_inline]] inline std::int64_t larger(std::int64_t a, std::int64_t b) {
    return a > b ? a : b;
}

template <std::size_t size>
[[gnu::always_inline]] inline void contiguous_groups(std::int64_t* out, const std::int64_t* clock,
                                                     std::size_t groups, std::int64_t cost) {
    for (std::size_t g = 0; g < groups; ++g) {
        std::int64_t top = clock[g * size];
        for (std::size_t i = 1; i < size; ++i) {
            top = larger(top, clock[g * size + i]);
        }
        top += cost;
        for (std::size_t i = 0; i < size; ++i) {
            out[g * size + i] = top;
        }
    }
}

/// Columns of one block, at most `tile` at a time so that the maxima stay in the cache.
constexpr std::size_t tile = 512;

[[gnu::always_inline]] inline void strided_groups(std::int64_t* out, const std::int64_t* clock,
                                                  std::size_t size, std::size_t stride,
                                                  std::size_t columns, std::int64_t cost) {
    std::int64_t top[tile];
    for (std::size_t j = 0; j < columns; ++j) {
        top[j] = clock[j];
    }
    for (std::size_t i = 1; i < size; ++i) {
        const std::int64_t* row = clock + i * stride;
        for (std::size_t j = 0; j < columns; ++j) {
            top[j] = larger(top[j], row[j]);
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        std::int64_t* row = out + i * stride;
        for (std::size_t j = 0; j < columns; ++j) {
            row[j] = top[j] + cost;
        }
    }
}

template <bool narrow, bool clamped>
[[gnu::always_inline]] inline void add_one_jittered(std::int64_t* __restrict work,
                                                    const std::uint32_t* __restrict first,
                                                    const std::uint32_t* __restrict second,
                                                    std::size_t n, const JitteredKernel& kernel) {
    const std::int64_t base = kernel.step.base_ps;
    const std::uint64_t step = narrow ? kernel.step.step & 0xffffffffU : kernel.step.step;
    const std::uint32_t shift = kernel.step.shift;
    const std::uint32_t counter = kernel.counter;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t sum = byte_sum(random_bits(first[i], second[i], counter));
        std::int64_t value = base + static_cast<std::int64_t>((sum * step) >> shift);
        if (clamped) {
            value = larger(value, 0);
        }
        work[i] += value;
    }
}

[[gnu::always_inline]] inline void add_kernels(std::int64_t* work, const std::uint32_t* first,
                                               const std::uint32_t* second, std::size_t n,
                                               const JitteredKernel* kernels, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
        const JitteredKernel& kernel = kernels[k];
        if (!kernel.step.is_narrow()) {
            add_one_jittered<false, true>(work, first, second, n, kernel);
        } else if (kernel.step.may_be_negative) {
            add_one_jittered<true, true>(work, first, second, n, kernel);
        } else {
            add_one_jittered<true, false>(work, first, second, n, kernel);
        }
    }
}

}  // namespace

void copy(std::int64_t* out, const std::int64_t* in, std::size_t n) {
    std::memcpy(out, in, n * sizeof(std::int64_t));
}

PRISMLLM_LANES void advance(std::int64_t* out, const std::int64_t* clock, std::size_t n,
                            std::int64_t work) {
    PRISMLLM_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = clock[i] + work;
    }
}

PRISMLLM_LANES void advance_scaled(std::int64_t* out, const std::int64_t* clock,
                                   const std::uint32_t* factor, std::size_t n, std::int64_t work) {
    if (work <= 0xffffffff) {
        const std::int64_t low = work & 0xffffffff;
        PRISMLLM_INDEPENDENT
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = clock[i] + scaled(low, factor[i]);
        }
        return;
    }
    PRISMLLM_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = clock[i] + scaled(work, factor[i]);
    }
}

PRISMLLM_LANES void advance_each(std::int64_t* out, const std::int64_t* clock,
                                 const std::int64_t* work, std::size_t n) {
    PRISMLLM_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = clock[i] + work[i];
    }
}

PRISMLLM_LANES void advance_each_scaled(std::int64_t* out, const std::int64_t* clock,
                                        const std::int64_t* work, const std::uint32_t* factor,
                                        std::size_t n) {
    PRISMLLM_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = clock[i] + scaled(work[i], factor[i]);
    }
}

PRISMLLM_LANES void add_jittered(std::int64_t* work, const std::uint32_t* first,
                                 const std::uint32_t* second, std::size_t n,
                                 std::span<const JitteredKernel> kernels) {
    for (std::size_t i = 0; i < n; i += tile) {
        add_kernels(work + i, first + i, second + i, n - i < tile ? n - i : tile, kernels.data(),
                    kernels.size());
    }
}

PRISMLLM_LANES void raise(std::int64_t* __restrict clock, const std::int64_t* __restrict slot,
                          std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        clock[i] = larger(clock[i], slot[i]);
    }
}

PRISMLLM_LANES void raise_other(std::int64_t* __restrict clock, const std::int64_t* __restrict slot,
                                std::int64_t* __restrict other, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t after = larger(clock[i], slot[i]);
        other[i] += after - clock[i];
        clock[i] = after;
    }
}

PRISMLLM_LANES void raise_accounted(std::int64_t* __restrict clock,
                                    const std::int64_t* __restrict slot,
                                    std::int64_t* __restrict communication,
                                    std::int64_t* __restrict skew, std::size_t n,
                                    std::int64_t cost) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t after = larger(clock[i], slot[i]);
        const std::int64_t rise = after - clock[i];
        const std::int64_t part = rise < cost ? rise : cost;
        communication[i] += part;
        skew[i] += rise - part;
        clock[i] = after;
    }
}

PRISMLLM_LANES void group_maximum(std::int64_t* out, const std::int64_t* clock, const Mesh& mesh,
                                  std::int64_t cost) {
    const std::size_t size = mesh.size;
    if (mesh.stride == 1) {
        switch (size) {
            case 2:
                return contiguous_groups<2>(out, clock, mesh.outer, cost);
            case 4:
                return contiguous_groups<4>(out, clock, mesh.outer, cost);
            case 8:
                return contiguous_groups<8>(out, clock, mesh.outer, cost);
            case 16:
                return contiguous_groups<16>(out, clock, mesh.outer, cost);
            default:
                break;
        }
        for (std::size_t g = 0; g < mesh.outer; ++g) {
            std::int64_t top = clock[g * size];
            for (std::size_t i = 1; i < size; ++i) {
                top = larger(top, clock[g * size + i]);
            }
            for (std::size_t i = 0; i < size; ++i) {
                out[g * size + i] = top + cost;
            }
        }
        return;
    }
    for (std::size_t block = 0; block < mesh.outer; ++block) {
        const std::size_t start = block * size * mesh.stride;
        for (std::size_t j = 0; j < mesh.stride; j += tile) {
            const std::size_t columns = mesh.stride - j < tile ? mesh.stride - j : tile;
            strided_groups(out + start + j, clock + start + j, size, mesh.stride, columns, cost);
        }
    }
}

void first_of_groups(std::int64_t* out, const std::int64_t* clock, const Mesh& mesh) {
    for (std::size_t block = 0; block < mesh.outer; ++block) {
        copy(out + block * mesh.stride, clock + block * mesh.size * mesh.stride, mesh.stride);
    }
}

void spread_over_groups(std::int64_t* out, const std::int64_t* tops, const Mesh& mesh) {
    for (std::size_t block = 0; block < mesh.outer; ++block) {
        const std::int64_t* row = tops + block * mesh.stride;
        for (std::size_t i = 0; i < mesh.size; ++i) {
            copy(out + (block * mesh.size + i) * mesh.stride, row, mesh.stride);
        }
    }
}

PRISMLLM_LANES std::int64_t maximum(const std::int64_t* clock, std::size_t n) {
    std::int64_t top = clock[0];
    for (std::size_t i = 1; i < n; ++i) {
        top = larger(top, clock[i]);
    }
    return top;
}

PRISMLLM_LANES void meet(std::int64_t* __restrict a, std::int64_t* __restrict b, std::size_t n,
                         std::int64_t cost_a, std::int64_t cost_b) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t both = larger(a[i], b[i]);
        a[i] = both + cost_a;
        b[i] = both + cost_b;
    }
}

PRISMLLM_LANES void raise_to_pair(std::int64_t* out, const std::int64_t* clock,
                                  const std::int64_t* peer, std::size_t n, std::int64_t cost) {
    PRISMLLM_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = larger(out[i], larger(clock[i], peer[i]) + cost);
    }
}

}  // namespace prismllm::engine::lanes
