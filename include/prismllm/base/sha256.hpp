// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/sha256.hpp
/// SHA-256 (FIPS 180-4): the identity of a deck. `sha256sum` of the same bytes prints the same.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace prismllm {

/// Digest that can be fed piece by piece.
class Sha256 {
public:
    /// Append bytes; the digest does not depend on how they are split over calls.
    void update(std::string_view bytes);

    /// Digest of everything fed so far, as 64 lower-case hexadecimal digits. The object can be
    /// fed further: finishing works on a copy.
    [[nodiscard]] std::string hex_digest() const;

private:
    void compress(const unsigned char* block);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> pending_{};
    std::size_t pending_size_ = 0;
    std::uint64_t total_bytes_ = 0;
};

/// Digest of `bytes` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace prismllm
