// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file src/target/problems.hpp
/// Collects what is wrong with a set of settings, so that all of it is told at once, and words
/// the values that would do.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "prismllm/base/error.hpp"

namespace prismllm::target {

class Problems {
public:
    template <class... Args>
    void add(fmt::format_string<Args...> text, Args&&... args) {
        add_text(fmt::format(text, std::forward<Args>(args)...));
    }
    void add_text(const std::string& line) { text_ += text_.empty() ? line : "\n" + line; }
    [[nodiscard]] bool empty() const { return text_.empty(); }
    [[nodiscard]] Error error() const { return {ErrorCode::bad_deck, text_}; }

private:
    std::string text_;
};

/// a * b of positive numbers, or the largest int64 where that overflows.
[[nodiscard]] inline std::int64_t capped_product(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return a > most / b ? most : a * b;
}

/// The nearest accepted values around `asked`, each times `scale`: "14 or 18", "2", or "" when
/// there is none in 1 .. `most`. @pre asked is itself not accepted.
[[nodiscard]] std::string nearest_values(std::int64_t asked, std::int64_t most,
                                         const std::function<bool(std::int64_t)>& accepted,
                                         std::int64_t scale = 1);

/// The same among values that suit the other settings too; where there are none, those that are
/// `accepted`, since then another problem is told beside this one.
[[nodiscard]] std::string nearest_fitting(std::int64_t asked, std::int64_t most,
                                          const std::function<bool(std::int64_t)>& accepted,
                                          const std::function<bool(std::int64_t)>& suits);

/// The multiples of `unit` on both sides of `asked`, without 0: "896 or 1024".
[[nodiscard]] std::string nearest_multiples(std::int64_t asked, std::int64_t unit);
/// The same up to `most` and where `accepted` takes the multiplier; "" when there is none.
[[nodiscard]] std::string nearest_multiples(std::int64_t asked, std::int64_t unit,
                                            std::int64_t most,
                                            const std::function<bool(std::int64_t)>& accepted);

}  // namespace prismllm::target
