// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace prismllm::deck {
namespace {

std::vector<Field> make_table() {
    std::vector<Field> table;
    append_job_fields(table);
    append_machine_fields(table);
    return table;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> section_meanings{{
    {"", "Top level, above all sections."},
    {"model", "The decoder to train. Usually included from `inputs/models`."},
    {"parallel", "How the job is spread over its ranks."},
    {"training", "Batch, precision and memory settings of the step."},
    {"emulation", "What to emulate beyond the plain job."},
    {"native", "How real ranks train (`prismllm native`)."},
    {"published", "What a public source measured, for comparison only: no prediction reads it."},
    {"device", "One accelerator. Usually included from `inputs/devices` by a cluster file."},
    {"device.gemm", "Time model of matrix products, fitted to measured kernels of one type."},
    {"device.attention", "Time model of fused attention, fitted to measured kernels."},
    {"device.streaming", "Time model of a memory-bound kernel: t0 + bytes / (bandwidth x eff)."},
    {"cluster", "Nodes and networks. Usually included from `inputs/clusters`."},
}};

}  // namespace

const std::vector<Field>& fields() {
    static const std::vector<Field> table = make_table();
    return table;
}

const Field* find_field(std::string_view path) {
    static const auto by_path = [] {
        std::map<std::string, const Field*, std::less<>> index;
        for (const Field& field : fields()) {
            index.emplace(field.path(), &field);
        }
        return index;
    }();
    const auto found = by_path.find(path);
    return found == by_path.end() ? nullptr : found->second;
}

std::vector<std::string_view> flags_in(std::string_view text) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    std::vector<std::string_view> flags;
    for (std::size_t at = text.find("--"); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_not_of(letters, at), text.size());
        flags.push_back(text.substr(at, end - at));
        at = text.find("--", end);
    }
    return flags;
}

namespace {

/// "--num-layers" and "num_layers" alike.
std::string word_of(std::string_view flag) {
    std::string word{flag.substr(std::min(flag.find_first_not_of('-'), flag.size()))};
    std::ranges::replace(word, '-', '_');
    return word;
}

}  // namespace

std::vector<const Field*> fields_known_as(std::string_view name) {
    const std::string word = word_of(name);
    std::vector<const Field*> by_flag;
    std::vector<const Field*> by_key;
    for (const Field& field : fields()) {
        if (std::ranges::any_of(flags_in(field.flag),
                                [&](std::string_view flag) { return word_of(flag) == word; })) {
            by_flag.push_back(&field);
        }
        if (field.key == word) {
            by_key.push_back(&field);
        }
    }
    return name.starts_with('-') || by_key.empty() ? by_flag : by_key;
}

const std::vector<std::string>& sections() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const Field& field : fields()) {
            if (list.empty() || list.back() != field.section) {
                list.push_back(field.section);
            }
        }
        return list;
    }();
    return names;
}

bool is_section(std::string_view path) {
    return std::ranges::any_of(sections(), [path](const std::string& section) {
        return section == path || (section.size() > path.size() && section.starts_with(path) &&
                                   section[path.size()] == '.');
    });
}

std::string_view meaning_of_section(std::string_view section) {
    for (std::string_view name = section;; name = name.substr(0, name.rfind('.'))) {
        for (const auto& [key, meaning] : section_meanings) {
            if (key == name && !meaning.empty()) {
                return meaning;
            }
        }
        if (name.find('.') == std::string_view::npos) {
            return {};
        }
    }
}

}  // namespace prismllm::deck
