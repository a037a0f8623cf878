// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include <algorithm>
#include <vector>

#include "fields.hpp"

namespace prismllm::deck {
namespace {

// Longer words are no slips of a setting's name, and the distance is quadratic.
constexpr std::size_t longest_word = 96;

std::size_t reach(std::string_view word) {
    return std::max<std::size_t>(2, word.size() / 5);
}

std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('.') + 1);
}

/// Letters by which a word misses the nearest of a setting's flags.
std::size_t distance_to_flags(std::string_view word, const Field& field) {
    std::size_t least = longest_word;
    for (const std::string_view flag : flags_in(field.flag)) {
        least = std::min(least, edit_distance(word, flag));
    }
    return least;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Rows i-2, i-1 and i of the table of distances between prefixes.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::string nearest_word(std::string_view word, std::span<const std::string_view> choices) {
    std::string_view best;
    std::size_t best_distance = reach(word) + 1;
    for (const std::string_view choice : choices) {
        const std::size_t distance =
            word.size() > longest_word ? best_distance : edit_distance(word, choice);
        if (!choice.empty() && distance < best_distance) {
            best = choice;
            best_distance = distance;
        }
    }
    return std::string{best};
}

std::string nearest_setting(std::string_view path) {
    if (path.size() > longest_word) {
        return {};
    }
    const std::string_view key = last_part(path);
    for (const Field& field : fields()) {
        if (!field.in_optional_group() && field.key == key) {
            return field.path();
        }
    }
    if (const auto known = fields_known_as(key);
        !known.empty() && !known.front()->in_optional_group()) {
        return known.front()->path();
    }
    const std::string_view section = path.substr(0, path.size() - key.size());
    std::string best;
    std::size_t best_distance = reach(key) + 1;
    for (const Field& field : fields()) {
        const std::string known = field.path();
        const std::string known_section = known.substr(0, known.size() - field.key.size());
        const std::size_t distance =
            std::min(edit_distance(key, field.key) + edit_distance(section, known_section),
                     key.starts_with("--") ? distance_to_flags(key, field) : longest_word);
        if (distance < best_distance) {
            best = known;
            best_distance = distance;
        }
    }
    for (const std::string& known : sections()) {
        const std::size_t distance = edit_distance(path, known);
        if (!known.empty() && distance < best_distance) {
            best = known;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace prismllm::deck
