// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/random.hpp
/// Counter-based random numbers: a draw depends on what it is for (seed, participant, epoch,
/// counter) and on nothing else, so results do not depend on the order of the draws, on the
/// number of processes or on the machine. Integers only.
#pragma once

#include <cstdint>

namespace prismllm {

/// A bijection of 64-bit words in which every input bit moves about half of the output bits
/// (finalizer of SplitMix64: Steele, Lea, Flood, OOPSLA 2014; constants: Stafford's Mix13).
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    return word ^ (word >> 31);
}

inline constexpr std::uint64_t golden_ratio_word = 0x9e3779b97f4a7c15ULL;

/// The draw number `number` of the SplitMix64 sequence that begins at `key`.
[[nodiscard]] constexpr std::uint64_t random_word(std::uint64_t key, std::uint64_t number) {
    return mix_bits(key + (number + 1) * golden_ratio_word);
}

/// Names one sequence of draws. Two words, so that among a million sequences equal keys are not
/// to be expected.
struct RandomKey {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    bool operator==(const RandomKey&) const = default;
};

[[nodiscard]] constexpr RandomKey random_key(std::uint64_t seed, std::uint64_t participant,
                                             std::uint64_t epoch) {
    std::uint64_t state = mix_bits(seed + golden_ratio_word);
    state = mix_bits(state + participant + golden_ratio_word);
    state = mix_bits(state + epoch + golden_ratio_word);
    return {static_cast<std::uint32_t>(state), static_cast<std::uint32_t>(state >> 32)};
}

/// The counter as random_bits wants it: neighbors must not look alike.
[[nodiscard]] constexpr std::uint32_t random_counter(std::uint64_t index) {
    return static_cast<std::uint32_t>(mix_bits(index + 0x632be59bd9b4e019ULL) >> 32);
}

/// The draw number `counter` of a sequence. Two multiplications of 32 bits: it vectorizes on
/// every machine. (Multipliers: Wellons' low-bias search, "lowbias32".)
[[nodiscard]] constexpr std::uint32_t random_bits(std::uint32_t first, std::uint32_t second,
                                                  std::uint32_t counter) {
    std::uint32_t x = (first ^ counter) * 0x7feb352dU;
    x ^= x >> 15;
    x = (x + second) * 0x846ca68bU;
    return x ^ (x >> 16);
}

/// Sum of the four bytes of a draw: 0 to 1020, about normal.
[[nodiscard]] constexpr std::uint32_t byte_sum(std::uint32_t bits) {
    const std::uint32_t pairs = (bits & 0x00ff00ffU) + ((bits >> 8) & 0x00ff00ffU);
    return (pairs + (pairs >> 16)) & 0xffffU;
}
inline constexpr std::int64_t byte_sum_mean = 510;
/// Standard deviation of byte_sum: sqrt(4 (256^2 - 1) / 12).
inline constexpr double byte_sum_deviation = 147.80054127099805;

}  // namespace prismllm
