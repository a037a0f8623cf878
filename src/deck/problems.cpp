// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "problems.hpp"

#include <algorithm>
#include <tuple>

#include "prismllm/base/printable.hpp"

namespace prismllm::deck {

std::string Place::text() const {
    return line == 0 ? source : fmt::format("{}:{}:{}", source, line, column);
}

void Problems::append(const Place& place, const std::string& message) {
    list_.push_back({place, printable(message)});
}

Error Problems::to_error(std::string_view deck_name) const {
    PRISMLLM_ASSERT(!list_.empty(), "an error needs a problem");
    std::vector<Problem> sorted = list_;
    const auto key = [](const Problem& p) {
        return std::tuple{p.place.order, p.place.line, p.place.column};
    };
    std::ranges::stable_sort(sorted, {}, key);
    if (sorted.size() == 1) {
        return {ErrorCode::bad_deck,
                fmt::format("{}: {}", sorted[0].place.text(), sorted[0].message)};
    }
    std::string text = fmt::format("{} has {} problems:", shown(deck_name), sorted.size());
    for (std::size_t i = 0; i < std::min(sorted.size(), most_shown); ++i) {
        text += fmt::format("\n  {}: {}", sorted[i].place.text(), sorted[i].message);
    }
    if (sorted.size() > most_shown) {
        text += fmt::format("\n  ... and {} more", sorted.size() - most_shown);
    }
    return {ErrorCode::bad_deck, text};
}

std::string shown(std::string_view text) {
    constexpr std::size_t most = 80;
    std::string result = printable(text.substr(0, most));
    if (text.size() > most) {
        // Do not leave half of a UTF-8 sequence behind.
        while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0x80) != 0) {
            result.pop_back();
        }
        result += "...";
    }
    return result;
}

}  // namespace prismllm::deck
