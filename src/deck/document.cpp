// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include <array>

namespace prismllm::deck {
namespace {

/// Shape of a multi-byte sequence by its first byte; the bounds of the second byte shut out
/// overlong forms, surrogates and values above U+10FFFF.
struct Sequence {
    unsigned char first_low, first_high;
    std::size_t length;
    unsigned char second_low, second_high;
};
constexpr std::array<Sequence, 8> sequences{{{0xc2, 0xdf, 2, 0x80, 0xbf},
                                             {0xe0, 0xe0, 3, 0xa0, 0xbf},
                                             {0xe1, 0xec, 3, 0x80, 0xbf},
                                             {0xed, 0xed, 3, 0x80, 0x9f},
                                             {0xee, 0xef, 3, 0x80, 0xbf},
                                             {0xf0, 0xf0, 4, 0x90, 0xbf},
                                             {0xf1, 0xf3, 4, 0x80, 0xbf},
                                             {0xf4, 0xf4, 4, 0x80, 0x8f}}};

/// Length of the well-formed sequence at the beginning of `text`, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) {
        return 1;
    }
    for (const Sequence& s : sequences) {
        if (byte(0) < s.first_low || byte(0) > s.first_high) {
            continue;
        }
        if (text.size() < s.length || byte(1) < s.second_low || byte(1) > s.second_high) {
            return 0;
        }
        for (std::size_t i = 2; i < s.length; ++i) {
            if (byte(i) < 0x80 || byte(i) > 0xbf) {
                return 0;
            }
        }
        return s.length;
    }
    return 0;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

std::string_view name_of(Value::Kind kind) {
    switch (kind) {
        case Value::Kind::boolean:
            return "true or false";
        case Value::Kind::integer:
            return "a whole number";
        case Value::Kind::real:
            return "a number with a point or an exponent";
        case Value::Kind::text:
            return "text";
        case Value::Kind::list:
            return "a list";
        case Value::Kind::table:
            return "a table";
        case Value::Kind::date:
            break;
    }
    return "a date or time";
}

}  // namespace prismllm::deck
