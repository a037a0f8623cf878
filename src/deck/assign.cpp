// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "assign.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "suggest.hpp"
#include "value_text.hpp"

namespace prismllm::deck {
namespace {

using Kind = Value::Kind;

/// Everything that a message about a value needs.
struct Context {
    const Field& field;
    const Place& place;
    Problems& problems;

    void wrong_type(const Value& value, std::string_view expected, std::string_view advice) const {
        const bool endless = value.kind == Kind::real && !std::isfinite(value.real);
        problems.add(place, "{} is {} ({} is expected). {}", field.path(),
                     !endless                 ? name_of(value.kind)
                     : std::isnan(value.real) ? "NaN"
                                              : "infinite",
                     expected, advice);
    }
};

/// Whether `number` lies in the field's range; says so if not.
bool in_range(double number, const std::string& written, const Context& context) {
    const Range& range = context.field.range;
    const bool low_enough = number <= range.high;
    const bool high_enough = range.above_low ? number > range.low : number >= range.low;
    if (low_enough && high_enough && (number == 0 || number >= range.least)) {
        return true;
    }
    const bool negative = number < 0 && range.low >= 0;
    context.problems.add(context.place, "{} = {} is {} ({} is allowed). Change it",
                         context.field.path(), written, negative ? "negative" : "out of range",
                         range_text(context.field));
    return false;
}

std::optional<std::int64_t> whole_number(const Value& value, const Context& context) {
    if (value.kind == Kind::integer) {
        const bool fits =
            in_range(static_cast<double>(value.integer), std::to_string(value.integer), context);
        return fits ? std::optional{value.integer} : std::nullopt;
    }
    context.wrong_type(
        value, "a whole number",
        value.kind == Kind::text ? "Write it without quotes and unit" : "Write it in digits alone");
    return std::nullopt;
}

std::optional<double> bare_number(const Value& value, const Context& context) {
    if (value.kind == Kind::integer) {
        const auto number = static_cast<double>(value.integer);
        return in_range(number, std::to_string(value.integer), context) ? std::optional{number}
                                                                        : std::nullopt;
    }
    if (value.kind != Kind::real) {
        context.wrong_type(
            value, "a number",
            value.kind == Kind::text ? "Write it without quotes and unit" : "Write a number");
        return std::nullopt;
    }
    if (!std::isfinite(value.real)) {
        context.problems.add(context.place, "{} is {} (a finite number is expected). Write one",
                             context.field.path(), std::isnan(value.real) ? "NaN" : "infinite");
        return std::nullopt;
    }
    // Adding zero turns -0 into 0, so that equal numbers have equal text.
    return in_range(value.real, number_text(value.real), context) ? std::optional{value.real + 0.0}
                                                                  : std::nullopt;
}

std::optional<double> number_with_unit(const Value& value, const Context& context) {
    const Field& field = context.field;
    if (value.kind == Kind::integer || value.kind == Kind::real) {
        const std::string written =
            value.kind == Kind::integer ? std::to_string(value.integer) : number_text(value.real);
        context.problems.add(
            context.place, "{} = {} has no unit (a {} needs one). Write text such as {}",
            field.path(), written, name_of(field.quantity), example_of(field.quantity));
        return std::nullopt;
    }
    if (value.kind != Kind::text) {
        context.wrong_type(value, fmt::format("a {} with a unit", name_of(field.quantity)),
                           fmt::format("Write text such as {}", example_of(field.quantity)));
        return std::nullopt;
    }
    const Expected<double> number = parse_quantity(value.text, field.quantity);
    if (!number) {
        context.problems.add(context.place, "{}: {}", field.path(), number.error().message);
        return std::nullopt;
    }
    return in_range(*number, fmt::format("\"{}\"", shown(value.text)), context)
               ? std::optional{*number}
               : std::nullopt;
}

std::optional<double> number_of(const Value& value, const Context& context) {
    return context.field.quantity == Quantity::none ? bare_number(value, context)
                                                    : number_with_unit(value, context);
}

std::optional<std::size_t> choice_of(const Value& value, const Context& context) {
    const Field& field = context.field;
    if (value.kind != Kind::text) {
        context.wrong_type(value, "one of " + choices_text(field),
                           "Write one of these words in quotes");
        return std::nullopt;
    }
    for (std::size_t i = 0; i < field.choices.size(); ++i) {
        if (field.choices[i] == value.text) {
            return i;
        }
    }
    const std::string near = nearest_word(value.text, field.choices);
    context.problems.add(
        context.place, "{} = \"{}\" is unknown ({} are allowed). {}", field.path(),
        shown(value.text), choices_text(field),
        near.empty() ? "Write one of these" : fmt::format("Did you mean \"{}\"?", near));
    return std::nullopt;
}

// One overload a kind of slot: check and store.

void store(std::int64_t& slot, const Value& value, const Context& context) {
    if (context.field.quantity == Quantity::none) {
        slot = whole_number(value, context).value_or(slot);
        return;
    }
    const std::optional<double> number = number_with_unit(value, context);
    if (number && *number != std::floor(*number)) {
        context.problems.add(context.place,
                             "{} = \"{}\" is not whole (bytes cannot be split). Round it",
                             context.field.path(), shown(value.text));
    } else if (number) {
        slot = static_cast<std::int64_t>(*number);
    }
}

void store(int& slot, const Value& value, const Context& context) {
    if (const std::optional<std::int64_t> number = whole_number(value, context)) {
        slot = static_cast<int>(*number);
    }
}

void store(double& slot, const Value& value, const Context& context) {
    slot = number_of(value, context).value_or(slot);
}

void store(std::optional<double>& slot, const Value& value, const Context& context) {
    if (const std::optional<double> number = number_of(value, context)) {
        slot = number;
    }
}

void store(bool& slot, const Value& value, const Context& context) {
    if (value.kind == Kind::boolean) {
        slot = value.boolean;
    } else {
        context.wrong_type(value, "true or false", "Write true or false without quotes");
    }
}

void store(std::string& slot, const Value& value, const Context& context) {
    if (!context.field.choices.empty()) {
        if (choice_of(value, context)) {
            slot = value.text;
        }
        return;
    }
    const bool needed = context.field.presence == Presence::required ||
                        context.field.presence == Presence::in_group;
    if (value.kind != Kind::text) {
        context.wrong_type(value, "text", "Put it in quotes");
    } else if (needed && value.text.empty()) {
        context.problems.add(context.place, "{} is empty ({}). Fill it in", context.field.path(),
                             context.field.meaning);
    } else {
        slot = value.text;
    }
}

template <class Enum>
requires std::is_enum_v<Enum>
void store(Enum& slot, const Value& value, const Context& context) {
    if (const std::optional<std::size_t> choice = choice_of(value, context)) {
        slot = static_cast<Enum>(*choice);
    }
}

void store(std::vector<std::int64_t>& slot, const Value& value, const Context& context) {
    if (value.kind != Kind::list) {
        context.wrong_type(value, "a list of whole numbers", "Write [0, 8]");
        return;
    }
    std::vector<std::int64_t> list;
    for (const Value& item : value.items) {
        const std::optional<std::int64_t> number = whole_number(item, context);
        if (!number) {
            return;
        }
        list.push_back(*number);
    }
    slot = std::move(list);
}

std::optional<target::SlowRank> slow_rank(const Value& value, const Context& context) {
    const bool shaped = value.kind == Kind::table && value.names.size() == 2 &&
                        value.names[0] == "factor" && value.names[1] == "rank" &&
                        value.items[1].kind == Kind::integer &&
                        (value.items[0].kind == Kind::integer || value.items[0].kind == Kind::real);
    if (!shaped) {
        context.problems.add(context.place,
                             "{} holds something else than {{rank, factor}} (both are needed and "
                             "numbers). Write {{rank = 17, factor = 1.2}}",
                             context.field.path());
        return std::nullopt;
    }
    const Value& number = value.items[0];
    const double factor =
        number.kind == Kind::integer ? static_cast<double>(number.integer) : number.real;
    if (value.items[1].integer < 0 || !(factor >= 0.001 && factor <= 1000)) {
        context.problems.add(context.place,
                             "{}: rank {} with factor {} is out of range (ranks begin at 0, "
                             "factors are 0.001 ... 1000). Change it",
                             context.field.path(), value.items[1].integer, number_text(factor));
        return std::nullopt;
    }
    return target::SlowRank{value.items[1].integer, factor};
}

void store(std::vector<target::SlowRank>& slot, const Value& value, const Context& context) {
    if (value.kind != Kind::list) {
        context.wrong_type(value, "a list of {rank, factor}", "Write [{rank = 17, factor = 1.2}]");
        return;
    }
    std::vector<target::SlowRank> list;
    for (const Value& item : value.items) {
        const std::optional<target::SlowRank> rank = slow_rank(item, context);
        if (!rank) {
            return;
        }
        list.push_back(*rank);
    }
    slot = std::move(list);
}

std::optional<target::Pause> pause(const Value& value, const Context& context) {
    const bool shaped = value.kind == Kind::table && value.names.size() == 3 &&
                        value.names[0] == "iteration" && value.names[1] == "rank" &&
                        value.names[2] == "time" && value.items[0].kind == Kind::integer &&
                        value.items[1].kind == Kind::integer && value.items[2].kind == Kind::text;
    if (!shaped) {
        context.problems.add(context.place,
                             "{} holds something else than {{rank, iteration, time}} (two whole "
                             "numbers and a time with a unit). Write {{rank = 17, iteration = 3, "
                             "time = \"50 ms\"}}",
                             context.field.path());
        return std::nullopt;
    }
    const Expected<double> time = parse_quantity(value.items[2].text, Quantity::seconds);
    if (!time) {
        context.problems.add(context.place, "{}: {}", context.field.path(), time.error().message);
        return std::nullopt;
    }
    constexpr double longest_s = 1e5;
    constexpr std::int64_t most_iterations = 1 << 20;
    const std::int64_t iteration = value.items[0].integer;
    const std::int64_t rank = value.items[1].integer;
    if (rank < 0 || iteration < 0 || iteration > most_iterations ||
        !(*time >= 0 && *time <= longest_s)) {
        context.problems.add(context.place,
                             "{}: rank {}, iteration {}, {} is out of range (ranks and iterations "
                             "begin at 0, a pause ends within {:.0f} s). Change it",
                             context.field.path(), rank, iteration, shown(value.items[2].text),
                             longest_s);
        return std::nullopt;
    }
    return target::Pause{rank, iteration, *time};
}

void store(std::vector<target::Pause>& slot, const Value& value, const Context& context) {
    if (value.kind != Kind::list) {
        context.wrong_type(value, "a list of {rank, iteration, time}",
                           "Write [{rank = 17, iteration = 3, time = \"50 ms\"}]");
        return;
    }
    std::vector<target::Pause> list;
    for (const Value& item : value.items) {
        const std::optional<target::Pause> one = pause(item, context);
        if (!one) {
            return;
        }
        list.push_back(*one);
    }
    slot = std::move(list);
}

}  // namespace

void assign(const Field& field, const Value& value, const Place& place, target::Job& job,
            Problems& problems) {
    const Context context{field, place, problems};
    std::visit([&](auto* slot) { store(*slot, value, context); }, field.slot(job));
}

}  // namespace prismllm::deck
