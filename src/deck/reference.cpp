// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "prismllm/base/printable.hpp"
#include "prismllm/deck/deck.hpp"

#include "fields.hpp"
#include "suggest.hpp"
#include "value_text.hpp"

namespace prismllm::deck {
namespace {

constexpr std::string_view introduction = R"(# Deck reference

Generated from the field table of `src/deck` by `deck::reference_markdown()`; a test fails when
this page is stale.

A deck is a TOML file. It begins with

| key | meaning |
|---|---|
| `schema_version` | version of this page, `1`; required |
| `include` | list of files, relative to the deck, whose settings the deck builds on |

and goes on with the sections below.

- **Precedence:** default < included file (later files of a list win) < the including file <
  `--set section.key=value`. A setting is replaced whole, lists too.
- **Units:** a value with a dimension is text with its unit: `"400 Gbit/s"`, `"1 MiB"`, `"2.5 us"`.
  Bare numbers are counts and ratios. `kB` is 1000 bytes and `KiB` 1024; bits are spelled `Gbit/s`
  and bytes `GB/s`.
- **Strict:** unknown keys, missing units, wrong types and values out of range are errors, all
  reported at once. How sizes fit together (what must divide what) is checked when each of them is
  good, and then all of that is reported at once.
- **Default:** *required* means there is none. The tables of fits (`device.gemm` and on) may be
  left out; of a table that is there, the keys marked *in table* are required.
- **Megatron-LM:** the flag of the same meaning; words beside it say where the two differ. `(not)`
  marks a flag that switches the key off. `prismllm keys --seq-length` finds a key by its flag,
  `prismllm keys seed` by its name alone.
)";

std::string default_text(const Field& field) {
    switch (field.presence) {
        case Presence::required:
            return "*required*";
        case Presence::in_group:
            return "*in table*";
        case Presence::optional:
            return "*none*";
        case Presence::defaulted:
        case Presence::group:
            break;
    }
    return fmt::format("`{}`", value_text(field, target::Job{}).value_or(""));
}

std::string allowed_text(const Field& field) {
    return field.choices.empty() ? range_text(field) : choices_text(field);
}

/// Each flag as code, so that no renderer joins its dashes.
std::string with_marked_flags(std::string_view text) {
    std::string marked;
    std::size_t done = 0;
    for (const std::string_view flag : flags_in(text)) {
        const std::size_t at = text.find(flag, done);
        marked += fmt::format("{}`{}`", text.substr(done, at - done), flag);
        done = at + flag.size();
    }
    return marked + std::string{text.substr(done)};
}

std::string table_of(const std::string& section) {
    std::string text =
        "\n| key | type | default | allowed | meaning | Megatron-LM |\n"
        "|---|---|---|---|---|---|\n";
    for (const Field& field : fields()) {
        if (field.section == section) {
            const std::string flag = with_marked_flags(field.flag);
            text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field.key, type_text(field),
                                default_text(field), allowed_text(field), field.meaning, flag);
        }
    }
    return text;
}

std::string units_text() {
    std::string text = "\n## Units\n\n| quantity | units |\n|---|---|\n";
    for (const Quantity quantity :
         {Quantity::bytes, Quantity::bandwidth, Quantity::flop_rate, Quantity::microseconds}) {
        std::string names;
        for (const Unit& unit : units_of(quantity)) {
            names += fmt::format("{}`{}`", names.empty() ? "" : ", ", unit.name);
        }
        text += fmt::format("| {} | {} |\n", name_of(quantity), names);
    }
    return text;
}

std::string help_on(const Field& field) {
    std::string text =
        fmt::format("{}: {}\n  type: {}", field.path(), field.meaning, type_text(field));
    if (const std::string allowed = allowed_text(field); !allowed.empty()) {
        text += "\n  allowed: " + allowed;
    }
    std::string standard = default_text(field);
    std::erase_if(standard, [](char c) { return c == '*' || c == '`'; });
    text += "\n  default: " + standard;
    if (field.quantity != Quantity::none) {
        text += fmt::format("\n  example: {}", example_of(field.quantity));
    }
    if (!field.flag.empty()) {
        text += fmt::format("\n  Megatron-LM: {}", field.flag);
    }
    return text + "\n";
}

}  // namespace

std::string reference_markdown() {
    std::string text{introduction};
    for (const std::string& section : sections()) {
        text += fmt::format("\n## {}\n",
                            section.empty() ? "Top level" : fmt::format("`[{}]`", section));
        text += fmt::format("\n{}\n", meaning_of_section(section));
        text += table_of(section);
    }
    return text + units_text();
}

Expected<std::string> help(std::string_view path) {
    if (const Field* field = find_field(path)) {
        return help_on(*field);
    }
    std::string text;
    for (const Field& field : fields()) {
        if (!path.empty() &&
            (field.section == path || field.section.starts_with(std::string{path} + "."))) {
            text += help_on(field);
        }
    }
    if (text.empty()) {
        for (const Field* field : fields_known_as(path)) {
            text += help_on(*field);
        }
    }
    if (!text.empty()) {
        return text;
    }
    const std::string near = nearest_setting(path);
    return fail(ErrorCode::usage,
                "no deck key or section is called {} (see "
                "docs/reference/deck.md). {}",
                printable(path),
                near.empty() ? "Check the name" : fmt::format("Did you mean {}?", near));
}

}  // namespace prismllm::deck
