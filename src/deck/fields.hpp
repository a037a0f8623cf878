// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file fields.hpp
/// The field table: one row a deck setting. Parsing, checks, the resolved echo, help and the
/// reference page are all loops over it, so a new setting is one row here and nothing else.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prismllm/target/job.hpp"

#include "quantity.hpp"

namespace prismllm::deck {

/// The member of a Job that a row fills.
using Slot = std::variant<std::int64_t*, int*, double*, std::optional<double>*, bool*, std::string*,
                          target::NormKind*, target::PositionKind*, target::RankOrder*,
                          target::PipelineSchedule*, target::Precision*, target::Recompute*,
                          target::Payload*, target::RealDurations*, target::RunClock*,
                          target::RankDevice*, std::vector<std::int64_t>*,
                          std::vector<target::SlowRank>*, std::vector<target::Pause>*>;

/// Inclusive bounds; `above_low` makes the lower one exclusive. Text has no range. `least` is for
/// what is computed in fp32 and may be 0: a smaller number would become 0, which means another
/// thing ("none"), or be lost.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool above_low = false;
    double least = 0;
};

enum class Presence : std::uint8_t {
    required,   ///< an error when missing
    defaulted,  ///< the default is the value in a default-constructed target::Job
    optional,   ///< may stay without a value; not echoed then
    in_group,   ///< required once any key of its table is given (calibration fits)
    group,      ///< defaulted, and echoed only when its table is given
};

struct Field {
    std::string section;  ///< dotted, "" for the top level
    std::string key;
    Slot (*slot)(target::Job&) = nullptr;
    Quantity quantity = Quantity::none;  ///< none: bare value, not a string with a unit
    Range range;
    Presence presence = Presence::defaulted;
    std::span<const std::string_view> choices;  ///< allowed words, in enumerator order
    std::string_view meaning;
    /// Megatron-LM's command-line flags, with words on where they differ; may be empty.
    std::string_view flag;

    [[nodiscard]] std::string path() const { return section.empty() ? key : section + "." + key; }
    [[nodiscard]] bool in_optional_group() const {
        return presence == Presence::in_group || presence == Presence::group;
    }
};

/// All rows, sections together, in the order of echo and reference page.
[[nodiscard]] const std::vector<Field>& fields();

/// The row of a dotted path; nullptr when there is none.
[[nodiscard]] const Field* find_field(std::string_view path);

/// The flags that a text names, each with its dashes: "(not) --a, --b" gives --a and --b.
[[nodiscard]] std::vector<std::string_view> flags_in(std::string_view text);

/// Rows that a user may mean who knows no dotted path: those of this key in any section, or else
/// those of this Megatron-LM flag, whose dashes may be left out. With dashes it is a flag only.
[[nodiscard]] std::vector<const Field*> fields_known_as(std::string_view name);

/// Whether `path` names a section or the beginning of one ("device.gemm").
[[nodiscard]] bool is_section(std::string_view path);

/// One line on what a section is about.
[[nodiscard]] std::string_view meaning_of_section(std::string_view section);

/// Sections in table order, "" first.
[[nodiscard]] const std::vector<std::string>& sections();

// Parts of the table, one a source file.
void append_job_fields(std::vector<Field>& table);
void append_model_fields(std::vector<Field>& table);
void append_machine_fields(std::vector<Field>& table);

/// Reach through members: slot_of<&Job::model, &Model::layers>(job).
template <auto... Members>
[[nodiscard]] Slot slot_of(target::Job& job) {
    return &(job.*....*Members);
}

}  // namespace prismllm::deck
