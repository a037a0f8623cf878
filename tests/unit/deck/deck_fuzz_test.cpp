// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// A damaged deck must lead to a value or an error, never to a crash; and what it leads to must
// still keep the promises of the echo.
#include <cstdint>

#include <gtest/gtest.h>

#include "sample_deck.hpp"

namespace prismllm::deck {
namespace {

/// SplitMix64: the same mutations on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_{seed} {}
    std::size_t below(std::size_t bound) {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<std::size_t>((z ^ (z >> 31)) % bound);
    }

private:
    std::uint64_t state_;
};

void duplicate_line(std::string& text, Random& random) {
    const std::size_t at = text.rfind('\n', random.below(text.size()));
    const std::size_t begin = at == std::string::npos ? 0 : at + 1;
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
    text.insert(begin, text.substr(begin, end + 1 - begin));
}

void replace_digit(std::string& text, std::size_t at, Random& random) {
    const std::size_t digit = text.find_first_of("0123456789", at);
    if (digit != std::string::npos) {
        text[digit] = static_cast<char>('0' + random.below(10));
    }
}

std::string mutated(std::uint64_t seed) {
    constexpr std::string_view syntax = "[]{}=.,\"'#\n\\-+eE0 \xff\xc3_";
    Random random{seed};
    std::string text{sample_text};
    const std::size_t times = 1 + random.below(4);
    for (std::size_t i = 0; i < times && !text.empty(); ++i) {
        const std::size_t at = random.below(text.size());
        switch (random.below(8)) {
            case 0:
                text[at] = static_cast<char>(text[at] ^ static_cast<char>(1 << random.below(8)));
                break;
            case 1:
                text.resize(at);
                break;
            case 2:
                duplicate_line(text, random);
                break;
            case 3:
                text.insert(at, 1, syntax[random.below(syntax.size())]);
                break;
            case 4:
                text.erase(at, 1 + random.below(20));
                break;
            case 5:
                replace_digit(text, at, random);
                break;
            case 6:
                text.insert(text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at),
                            " #");
                break;
            default:
                text.insert(at, text.substr(random.below(text.size()), random.below(60)));
                break;
        }
    }
    return text;
}

TEST(DeckFuzz, TwoThousandDamagedDecksNeverCrashAndAcceptedOnesRoundTrip) {
    int accepted = 0;
    int rejected = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const auto deck = parse(mutated(seed), "fuzz.toml", ".");
        if (!deck) {
            ++rejected;
            EXPECT_EQ(deck.error().code, ErrorCode::bad_deck) << seed;
            EXPECT_FALSE(deck.error().message.empty()) << seed;
            continue;
        }
        ++accepted;
        const auto again = parse(deck->values_toml, "again.toml", ".");
        ASSERT_TRUE(again.has_value()) << seed << ": " << again.error().message;
        EXPECT_EQ(again->sha256, deck->sha256) << seed;
        const auto resolved = parse(deck->resolved_toml, "again.toml", ".");
        ASSERT_TRUE(resolved.has_value()) << seed << ": " << resolved.error().message;
        EXPECT_EQ(resolved->sha256, deck->sha256) << seed;
    }
    // Both happen often enough for the loop to mean something.
    EXPECT_GT(accepted, 100);
    EXPECT_GT(rejected, 1000);
}

TEST(DeckFuzz, OverridesOfAnyBytesNeverCrash) {
    Random random{7};
    for (int i = 0; i < 2000; ++i) {
        std::string text = i % 2 == 0 ? "model.name=" : "model.layers=";
        const std::size_t length = random.below(12);
        for (std::size_t k = 0; k < length; ++k) {
            text += static_cast<char>(random.below(256));
        }
        const auto deck = parse_sample({text});
        if (!deck) {
            EXPECT_EQ(deck.error().code, ErrorCode::bad_deck);
        } else {
            EXPECT_EQ(parse(deck->values_toml, "again.toml", ".")->sha256, deck->sha256);
        }
    }
}

}  // namespace
}  // namespace prismllm::deck
