// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/deck/deck.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "prismllm/base/sha256.hpp"

#include "assign.hpp"
#include "document.hpp"
#include "echo.hpp"
#include "fields.hpp"
#include "problems.hpp"
#include "source_files.hpp"
#include "suggest.hpp"
#include "value_text.hpp"

namespace prismllm::deck {
namespace {

constexpr std::uint32_t after_all_files = 1U << 30;

/// A job being filled, entry by entry, later ones winning.
class Builder {
public:
    explicit Builder(Problems& problems) : problems_{problems} {}

    void set(const Entry& entry, const std::string& origin) {
        if (const Field* field = find_field(entry.path)) {
            const std::size_t before = problems_.count();
            assign(*field, entry.value, entry.place, job_, problems_);
            if (problems_.count() > before) {
                wrong_.insert(entry.path);
            }
            origins_.insert_or_assign(entry.path, origin);
            if (entry.place.order == 0 || entry.place.order >= after_all_files) {
                own_keys_.insert(entry.path);
            }
            places_.insert_or_assign(entry.path, entry.place);
        } else {
            unknown(entry.path, entry.place);
        }
    }

    void unknown(const std::string& path, const Place& place) {
        if (is_section(path)) {
            problems_.add(place, "{} is a section (it holds settings). Write [{}] and its keys",
                          path, path);
            return;
        }
        const std::string near = problems_.wants_more() ? nearest_setting(path) : "";
        problems_.add(
            place, "unknown key {} (no such setting). {}", shown(path),
            near.empty() ? "See docs/reference/deck.md" : fmt::format("Did you mean {}?", near));
    }

    void check_presence(const Place& deck);
    void check_meaning(const Place& deck);

    [[nodiscard]] Deck finish() const {
        const std::string values = echo_values(job_, origins_);
        return {job_,
                values,
                echo_with_origins(job_, origins_),
                sha256_hex(values),
                {own_keys_.begin(), own_keys_.end()}};
    }

private:
    [[nodiscard]] bool is_given(const Field& field) const {
        return origins_.contains(field.path());
    }
    /// Whether checks may build on the settings: none is wrong.
    [[nodiscard]] bool are_good(std::initializer_list<std::string_view> paths) const {
        return std::ranges::none_of(paths, [&](std::string_view p) { return wrong_.contains(p); });
    }
    void check_precision(const Place& deck);
    void check_ranks(const Place& deck);
    void check_section(const std::string& section, const Place& deck);
    [[nodiscard]] Place place_of(std::string_view path, const Place& fallback) const {
        const auto found = places_.find(path);
        return found == places_.end() ? fallback : found->second;
    }

    Problems& problems_;
    target::Job job_;
    Origins origins_;
    std::set<std::string, std::less<>> wrong_, own_keys_;
    std::map<std::string, Place, std::less<>> places_;
};

void Builder::check_section(const std::string& section, const Place& deck) {
    std::vector<const Field*> missing;
    const Field* first_given = nullptr;
    for (const Field& field : fields()) {
        if (field.section != section) {
            continue;
        }
        if (is_given(field)) {
            first_given = first_given == nullptr ? &field : first_given;
        } else if (field.presence == Presence::required || field.presence == Presence::in_group) {
            missing.push_back(&field);
        }
    }
    if (missing.empty()) {
        return;
    }
    if (missing.front()->presence == Presence::in_group) {
        if (first_given != nullptr) {
            std::string keys;
            for (const Field* field : missing) {
                keys += (keys.empty() ? "" : ", ") + field->key;
            }
            problems_.add(place_of(first_given->path(), deck),
                          "[{}] lacks {} (a fit is used whole). Add the rest or leave it out",
                          section, keys);
        }
        return;
    }
    if (first_given == nullptr) {
        problems_.add(deck, "section [{}] is missing ({}). Write it or include a file that has it",
                      section, meaning_of_section(section));
        return;
    }
    for (const Field* field : missing) {
        problems_.add(deck, "missing key {} ({}; it has no default). Add {} to [{}]", field->path(),
                      field->meaning, field->key, section);
    }
}

void Builder::check_presence(const Place& deck) {
    for (const std::string& section : sections()) {
        check_section(section, deck);
    }
}

/// What no table row can say and no later room sees, as far as its settings are there and good.
void Builder::check_meaning(const Place& deck) {
    if (origins_.contains("device.name") &&
        are_good({"training.precision", "device.bf16", "device.fp8"})) {
        check_precision(deck);
    }
    if (origins_.contains("parallel.world_size") && are_good({"parallel.world_size"})) {
        check_ranks(deck);
    }
}

void Builder::check_precision(const Place& deck) {
    const target::Device& device = job_.device;
    const bool no_bf16 =
        job_.training.precision == target::Precision::bf16 && device.bf16_flops == 0;
    const bool no_fp8 = job_.training.precision == target::Precision::fp8 && device.fp8_flops == 0;
    if (no_bf16 || no_fp8) {
        problems_.add(place_of("training.precision", deck),
                      "training.precision is {0} (device {1} has no {0} rate). Choose another "
                      "precision or set device.{0}",
                      no_bf16 ? "bf16" : "fp8", device.name);
    }
}

/// Lists that are wrong themselves are empty here.
void Builder::check_ranks(const Place& deck) {
    const std::int64_t ranks = job_.parallel.world_size;
    const auto outside = [&](std::string_view path, std::int64_t rank) {
        if (rank >= ranks) {
            problems_.add(place_of(path, deck),
                          "{} names rank {} (world_size {} has ranks 0 ... {}). Change it", path,
                          rank, ranks, ranks - 1);
        }
    };
    std::set<std::int64_t> slow;
    for (const target::SlowRank& rank : job_.emulation.slow_ranks) {
        outside("emulation.slow_ranks", rank.rank);
        if (!slow.insert(rank.rank).second) {
            problems_.add(place_of("emulation.slow_ranks", deck),
                          "emulation.slow_ranks names rank {} twice (one factor is meant). Remove "
                          "one",
                          rank.rank);
        }
    }
    for (const target::Pause& pause : job_.emulation.pauses) {
        outside("emulation.pauses", pause.rank);
    }
    for (const std::int64_t rank : job_.emulation.timeline_ranks) {
        outside("emulation.timeline_ranks", rank);
    }
    std::set<std::int64_t> real;
    for (const std::int64_t rank : job_.emulation.real_ranks) {
        outside("emulation.real_ranks", rank);
        if (!real.insert(rank).second) {
            problems_.add(place_of("emulation.real_ranks", deck),
                          "emulation.real_ranks names rank {} twice (one process executes a rank). "
                          "Remove one",
                          rank);
        }
    }
}

bool is_bare_text(const Field& field, std::string_view raw) {
    target::Job job;
    const bool takes_text = field.quantity != Quantity::none || !field.choices.empty() ||
                            std::holds_alternative<std::string*>(field.slot(job));
    // What begins like a list or a table is none of them by mistake: TOML has its say.
    return takes_text &&
           (raw.empty() || std::string_view{"\"'[{"}.find(raw.front()) == std::string_view::npos);
}

void apply_override(const std::string& text, std::uint32_t order, Builder& builder,
                    Problems& problems) {
    const Place place{"--set " + shown(text), order, 0, 0};
    const std::size_t equals = text.find('=');
    const bool printable = std::ranges::none_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (equals == std::string::npos || !printable || !is_valid_utf8(text)) {
        problems.add(place,
                     "not a setting (section.key=value on one line is expected). Write for "
                     "example parallel.tensor_parallel=4");
        return;
    }
    const auto strip = [](std::string_view part) {
        const std::size_t first = std::min(part.find_first_not_of(' '), part.size());
        part.remove_prefix(first);
        return part.substr(0, part.find_last_not_of(' ') + 1);
    };
    const std::string path{strip(std::string_view{text}.substr(0, equals))};
    const std::string_view raw = strip(std::string_view{text}.substr(equals + 1));
    const Field* field = find_field(path);
    if (field == nullptr) {
        builder.unknown(path, place);
        return;
    }
    Entry entry{path, {}, place};
    if (is_bare_text(*field, raw)) {
        entry.value.text = raw;
    } else if (std::optional<Value> value = read_value(raw, place, problems)) {
        entry.value = std::move(*value);
    } else {
        return;
    }
    builder.set(entry, "--set");
}

Expected<Deck> build(const SourceFiles& files, const std::string& name,
                     const std::vector<std::string>& overrides, Problems& problems) {
    if (!files.is_readable()) {
        return tl::unexpected{problems.to_error(name)};
    }
    Builder builder{problems};
    for (const Entry& entry : files.entries()) {
        builder.set(entry, fmt::format("{}:{}", entry.place.source, entry.place.line));
    }
    std::uint32_t order = after_all_files;
    for (const std::string& text : overrides) {
        apply_override(text, order++, builder, problems);
    }
    const Place deck{shown(name), order, 0, 0};
    if (files.is_complete()) {
        builder.check_presence(deck);
        builder.check_meaning(deck);
    }
    if (!problems.empty()) {
        return tl::unexpected{problems.to_error(name)};
    }
    return builder.finish();
}

}  // namespace

Expected<Deck> load(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
    Problems problems;
    SourceFiles files{problems};
    files.read(path);
    return build(files, path.string(), overrides, problems);
}

Expected<Deck> parse(std::string_view text, const std::string& name,
                     const std::filesystem::path& base_dir,
                     const std::vector<std::string>& overrides) {
    Problems problems;
    SourceFiles files{problems};
    files.take(text, name, base_dir);
    return build(files, name, overrides, problems);
}

}  // namespace prismllm::deck
