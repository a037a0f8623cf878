// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/report/compare.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "quantities.hpp"

namespace prismllm::report {
namespace {

using store::ResultData;
using store::TimelineOp;

/// Collects the differences of one quantity.
class Row {
public:
    Row(std::string name, std::string unit) : name_{std::move(name)}, unit_{std::move(unit)} {}

    /// @param scale what the difference is a part of.
    void add(std::int64_t first, std::int64_t second, std::int64_t scale) {
        const std::int64_t apart = std::abs(second - first);
        differences_.push_back(apart);
        if (apart > 0) {
            // A difference from nothing is as large as can be.
            relative_ =
                std::max(relative_,
                         scale > 0 ? static_cast<double>(apart) / static_cast<double>(scale) : 1.0);
        }
    }

    void finish(Comparison& comparison) {
        if (differences_.empty()) {
            comparison.notes.push_back(
                fmt::format("{}: not in both results. Name ranks in emulation.timeline_ranks of "
                            "both (real ranks among virtual ones always have theirs).",
                            name_));
            return;
        }
        std::ranges::sort(differences_);
        Difference row{name_, unit_, static_cast<std::int64_t>(differences_.size())};
        double sum = 0;
        for (const std::int64_t apart : differences_) {
            sum += static_cast<double>(apart);
            row.differing += apart > 0 ? 1 : 0;
        }
        row.mean = sum / static_cast<double>(differences_.size());
        const std::size_t rank = (differences_.size() * 95 + 99) / 100;  // nearest rank
        row.p95 = differences_[rank - 1];
        row.largest = differences_.back();
        row.largest_relative = relative_;
        comparison.rows.push_back(std::move(row));
    }

private:
    std::string name_, unit_;
    std::vector<std::int64_t> differences_;
    double relative_ = 0;
};

Status check_same_job(const ResultData& first, const ResultData& second) {
    const auto differ = [](const char* what, auto a, auto b) {
        return fail(ErrorCode::mismatch,
                    "the results are of two jobs ({}: {} and {}). Compare results of one job.",
                    what, a, b);
    };
    if (first.world_size != second.world_size) {
        return differ("ranks", first.world_size, second.world_size);
    }
    if (first.facts.parameters != second.facts.parameters) {
        return differ("parameters", first.facts.parameters, second.facts.parameters);
    }
    if (first.facts.tokens_per_iteration != second.facts.tokens_per_iteration) {
        return differ("tokens an iteration", first.facts.tokens_per_iteration,
                      second.facts.tokens_per_iteration);
    }
    if (first.facts.model_flops_per_iteration != second.facts.model_flops_per_iteration) {
        return differ("model FLOPs an iteration", first.facts.model_flops_per_iteration,
                      second.facts.model_flops_per_iteration);
    }
    if (first.facts.layout != second.facts.layout) {
        return fail(
            ErrorCode::mismatch,
            "the results are of two jobs (their layouts differ, see prismllm show). Compare "
            "results of one job.");
    }
    if (first.classes.size() != second.classes.size()) {
        return differ("rank classes", first.classes.size(), second.classes.size());
    }
    for (std::size_t c = 0; c < first.classes.size(); ++c) {
        if (first.classes[c].ops != second.classes[c].ops ||
            first.classes[c].ranks != second.classes[c].ranks) {
            return differ("ops of a class", first.classes[c].ops, second.classes[c].ops);
        }
    }
    return {};
}

void compare_iterations(const ResultData& first, const ResultData& second, Comparison& comparison) {
    const std::size_t both = std::min(first.iterations.size(), second.iterations.size());
    if (first.iterations.size() != second.iterations.size()) {
        comparison.notes.push_back(
            fmt::format("the results have {} and {} iterations: the first {} are compared.",
                        first.iterations.size(), second.iterations.size(), both));
    }
    Row time{"iteration time", "ps"}, ends{"end of ranks", "ps"};
    const auto ranks = static_cast<std::size_t>(first.world_size);
    for (std::size_t k = 0; k < both; ++k) {
        const std::int64_t a = first.iterations[k].end_ps - first.iterations[k].start_ps;
        const std::int64_t b = second.iterations[k].end_ps - second.iterations[k].start_ps;
        time.add(a, b, a);
        for (std::size_t r = 0; r < ranks; ++r) {
            ends.add(first.ranks.end_ps[k * ranks + r], second.ranks.end_ps[k * ranks + r], a);
        }
    }
    time.finish(comparison);
    ends.finish(comparison);
}

/// Ops of the ranks and iterations that the other result has timelines of too.
std::vector<const TimelineOp*> common_ops(const ResultData& data, const ResultData& other) {
    std::set<std::int64_t> ranks;
    for (const TimelineOp& op : other.timeline) {
        ranks.insert(op.virtual_rank);
    }
    const std::size_t iterations = std::min(data.iterations.size(), other.iterations.size());
    std::vector<const TimelineOp*> ops;
    for (const TimelineOp& op : data.timeline) {
        if (ranks.contains(op.virtual_rank) &&
            static_cast<std::size_t>(op.iteration) < iterations) {
            ops.push_back(&op);
        }
    }
    return ops;
}

Status compare_timelines(const ResultData& first, const ResultData& second,
                         Comparison& comparison) {
    std::map<std::tuple<std::int64_t, std::int32_t, std::int64_t>, const TimelineOp*> known;
    for (const TimelineOp* op : common_ops(first, second)) {
        known[{op->virtual_rank, op->iteration, op->op}] = op;
    }
    const std::vector<const TimelineOp*> theirs = common_ops(second, first);
    Row starts{"start of communication", "ps"}, ends{"end of communication", "ps"};
    Row kernel_starts{"start of kernels", "ps"}, kernels{"end of kernels", "ps"};
    for (const TimelineOp* each : theirs) {
        const TimelineOp& op = *each;
        const auto found = known.find({op.virtual_rank, op.iteration, op.op});
        if (found == known.end() || found->second->name != op.name ||
            known.size() != theirs.size()) {
            return fail(ErrorCode::mismatch,
                        "the results are of two jobs (the ops of rank {} differ, first op {} of "
                        "iteration {}). Compare results of one job.",
                        op.virtual_rank, op.op, op.iteration);
        }
        const TimelineOp& other = *found->second;
        const auto k = static_cast<std::size_t>(op.iteration);
        const std::int64_t scale = first.iterations[k].end_ps - first.iterations[k].start_ps;
        if (op.name < graph::kernel_kind_count) {
            kernel_starts.add(other.start_ps, op.start_ps, scale);
            kernels.add(other.end_ps, op.end_ps, scale);
        } else {
            starts.add(other.start_ps, op.start_ps, scale);
            ends.add(other.end_ps, op.end_ps, scale);
        }
    }
    starts.finish(comparison);
    ends.finish(comparison);
    kernel_starts.finish(comparison);
    kernels.finish(comparison);
    return {};
}

void compare_memory(const ResultData& first, const ResultData& second, Comparison& comparison) {
    Row series{"allocated bytes behind each op", "byte"}, peaks{"peak allocated bytes", "byte"};
    for (const store::RealRankRow& a : first.real_ranks) {
        for (const store::RealRankRow& b : second.real_ranks) {
            if (a.virtual_rank != b.virtual_rank) {
                continue;
            }
            peaks.add(a.peak_allocated_bytes, b.peak_allocated_bytes, a.peak_allocated_bytes);
            const std::size_t both = std::min(a.allocated_bytes.size(), b.allocated_bytes.size());
            for (std::size_t i = 0; i < both; ++i) {
                series.add(a.allocated_bytes[i], b.allocated_bytes[i], a.allocated_bytes[i]);
            }
        }
    }
    if (!first.real_ranks.empty() && !second.real_ranks.empty()) {
        series.finish(comparison);
        peaks.finish(comparison);
    }
}

}  // namespace

Difference Comparison::worst() const {
    Difference worst;
    for (const Difference& row : rows) {
        worst = row.largest_relative > worst.largest_relative ? row : worst;
    }
    return worst;
}

Expected<Comparison> compare(const ResultData& first, const ResultData& second) {
    if (auto ok = check_same_job(first, second); !ok) {
        return tl::unexpected{ok.error()};
    }
    Comparison comparison;
    compare_iterations(first, second, comparison);
    if (auto ok = compare_timelines(first, second, comparison); !ok) {
        return tl::unexpected{ok.error()};
    }
    compare_memory(first, second, comparison);
    return comparison;
}

std::string text(const Comparison& comparison, const std::string& first,
                 const std::string& second) {
    std::string out =
        fmt::format("{} against {}\n\n  {:<32}{:>10}{:>11}{:>13}{:>13}{:>13}{:>8}\n", second, first,
                    "difference of", "places", "differing", "mean", "95 %", "largest", "share");
    for (const Difference& row : comparison.rows) {
        const auto value = [&](double size) {
            return row.unit == "ps" ? duration(static_cast<std::int64_t>(size))
                                    : bytes(static_cast<std::int64_t>(size));
        };
        fmt::format_to(std::back_inserter(out),
                       "  {:<32}{:>10}{:>11}{:>13}{:>13}{:>13}{:>6.3g} %\n", row.name, row.places,
                       row.differing, value(row.mean), value(static_cast<double>(row.p95)),
                       value(static_cast<double>(row.largest)), 100 * row.largest_relative);
    }
    for (const std::string& note : comparison.notes) {
        out += "  note: " + note + "\n";
    }
    return out;
}

std::string json(const Comparison& comparison, const std::string& first,
                 const std::string& second) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Difference& row : comparison.rows) {
        rows.push_back({{"name", row.name},
                        {"unit", row.unit},
                        {"places", row.places},
                        {"differing", row.differing},
                        {"mean", row.mean},
                        {"p95", row.p95},
                        {"largest", row.largest},
                        {"largest_relative", row.largest_relative}});
    }
    const nlohmann::ordered_json all{{"first", first},
                                     {"second", second},
                                     {"largest_relative", comparison.worst().largest_relative},
                                     {"differences", rows},
                                     {"notes", comparison.notes}};
    return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace prismllm::report
