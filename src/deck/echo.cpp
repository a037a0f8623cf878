// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "echo.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "fields.hpp"
#include "value_text.hpp"

namespace prismllm::deck {
namespace {

/// Lines without and with origins are made alike: `line` says how one setting looks.
template <class Line>
std::string echo(const target::Job& job, const Origins& origins, const Line& line) {
    std::set<std::string> given_sections;
    for (const auto& [path, origin] : origins) {
        given_sections.insert(path.substr(0, path.rfind('.')));
    }
    std::string text = "schema_version = 1\n";
    std::string section;
    for (const Field& field : fields()) {
        const std::optional<std::string> value = value_text(field, job);
        if (!value || (field.in_optional_group() && !given_sections.contains(field.section))) {
            continue;
        }
        if (section != field.section) {
            section = field.section;
            text += fmt::format("\n[{}]\n", section);
        }
        const auto origin = origins.find(field.path());
        text += line(fmt::format("{} = {}", field.key, *value),
                     origin == origins.end() ? "default" : origin->second);
    }
    return text;
}

}  // namespace

std::string echo_values(const target::Job& job, const Origins& origins) {
    return echo(job, origins,
                [](const std::string& setting, const std::string&) { return setting + "\n"; });
}

std::string echo_with_origins(const target::Job& job, const Origins& origins) {
    return echo(job, origins, [](const std::string& setting, const std::string& origin) {
        return fmt::format("{:<44}  # {}\n", setting, origin);
    });
}

}  // namespace prismllm::deck
