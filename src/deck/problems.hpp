// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file problems.hpp
/// Everything that is wrong with a deck, collected so that a person sees it in one go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "prismllm/base/error.hpp"

namespace prismllm::deck {

/// Where a value stands. `order` sorts messages: files in the order of reading, then overrides.
struct Place {
    std::string source;  ///< file name, or the text of an override with its option
    std::uint32_t order = 0;
    std::uint32_t line = 0;  ///< 0: the source as a whole
    std::uint32_t column = 0;

    /// file:line:column, as far as known.
    [[nodiscard]] std::string text() const;
};

class Problems {
public:
    /// Message form: `<problem> (<why>). <what to do>`.
    template <class... Args>
    void add(const Place& place, fmt::format_string<Args...> text, Args&&... args) {
        append(place, fmt::format(text, std::forward<Args>(args)...));
    }

    [[nodiscard]] bool empty() const { return list_.empty(); }
    [[nodiscard]] std::size_t count() const { return list_.size(); }

    /// Whether another message would still be printed; spares costly hints in hopeless decks.
    [[nodiscard]] bool wants_more() const { return list_.size() < most_shown; }

    /// All messages, sorted by place, as one bad_deck error.
    /// @pre not empty.
    [[nodiscard]] Error to_error(std::string_view deck_name) const;

private:
    struct Problem {
        Place place;
        std::string message;
    };
    static constexpr std::size_t most_shown = 50;
    void append(const Place& place, const std::string& message);

    std::vector<Problem> list_;
};

/// Text of a deck made fit for a message: control characters escaped, long text cut.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace prismllm::deck
