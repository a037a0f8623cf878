// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "start_values.hpp"

#include <cmath>
#include <numbers>

#include "prismllm/base/random.hpp"

namespace prismllm::device {
namespace {

/// FNV-1a.
std::uint64_t hash_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

/// Open interval (0, 1), 53 bits.
double uniform(std::uint64_t bits) {
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

/// Box and Muller's transformation of two hashed numbers.
double normal(std::uint64_t key, std::uint64_t number) {
    const double radius = std::sqrt(-2 * std::log(uniform(random_word(key, 2 * number))));
    return radius * std::cos(2 * std::numbers::pi * uniform(random_word(key, 2 * number + 1)));
}

}  // namespace

void fill_part(const StartRule& rule, const program::ParameterPart& part, Out out) {
    using Start = program::ParameterPart::Start;
    if (part.start == Start::ones || part.start == Start::zeros) {
        for (float& value : out) {
            value = part.start == Start::ones ? 1.0F : 0.0F;
        }
        return;
    }
    const double deviation =
        part.start == Start::residual
            ? rule.deviation / std::sqrt(2.0 * static_cast<double>(rule.layers))
            : rule.deviation;
    const std::uint64_t key = random_word(rule.seed, hash_of(part.name));
    std::int64_t next = 0;
    for (const program::ParameterPart::Rows& rows : part.rows) {
        for_each(rows.count, [&, next](std::int64_t r) {
            const std::uint64_t row_key =
                random_word(key, static_cast<std::uint64_t>(rows.first + r));
            for (std::int64_t c = 0; c < part.columns; ++c) {
                const auto number = static_cast<std::uint64_t>(part.first_column + c);
                out[static_cast<std::size_t>((next + r) * part.columns + c)] =
                    static_cast<float>(deviation * normal(row_key, number));
            }
        });
        next += rows.count;
    }
}

}  // namespace prismllm::device
