// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "prismllm/base/counted.hpp"
#include "prismllm/report/report.hpp"

#include "analysis.hpp"
#include "quantities.hpp"

namespace prismllm::report {
namespace {

constexpr std::size_t most_stage_rows = 20;
constexpr std::size_t most_warnings = 10;

class Page {
public:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
        text_ += '\n';
    }
    void blank() { text_ += '\n'; }
    [[nodiscard]] std::string take() && { return std::move(text_); }

private:
    std::string text_;
};

/// The parallel degrees and batch sizes; a file of an older schema does not have them.
void layout(Page& page, const store::ResultData& d) {
    if (!d.facts.layout) {
        return;
    }
    const graph::JobLayout& l = *d.facts.layout;
    const std::string experts =
        l.expert_parallel * l.expert_tensor_parallel > 1
            ? fmt::format(", experts EP {} x ETP {}", l.expert_parallel, l.expert_tensor_parallel)
            : std::string{};
    page.line("  TP {} x CP {} x PP {} ({} chunk{}) x DP {}{}{}{}", l.tensor_parallel,
              l.context_parallel, l.pipeline_parallel, l.virtual_pipeline,
              l.virtual_pipeline == 1 ? "" : "s", l.data_parallel, experts,
              l.sequence_parallel ? ", sequence parallel" : "",
              l.zero_stage > 0 ? ", distributed optimizer" : "");
    page.line("  micro batch {}, global batch {}, sequence {}", grouped(l.micro_batch_size),
              grouped(l.global_batch_size), grouped(l.sequence_length));
}

/// Whether HFU lies below MFU because fused kernels skip the masked half of causal attention,
/// which the model's formula counts.
bool skips_what_the_formula_counts(const store::ResultData& d) {
    return hardware_utilization(d) < d.summary.mfu && d.facts.flops_formula != "causal" &&
           std::ranges::find(d.coverage, name_of(graph::KernelKind::attention_forward),
                             &store::CoverageRow::name) != d.coverage.end();
}

void headline(Page& page, const store::StoredResult& r) {
    const store::ResultData& d = r.data;
    const store::Summary& s = d.summary;
    page.line("{}", d.facts.title);
    page.line("  {} ranks of {}, {} parameters, {} tokens an iteration", grouped(d.world_size),
              d.facts.device_name, grouped(d.facts.parameters),
              grouped(d.facts.tokens_per_iteration));
    layout(page, d);
    page.blank();
    page.line("  iteration time     {}", duration(s.iteration_time_ps));
    if (d.iterations.size() > 1) {
        const IterationSpread spread = iteration_spread(d);
        page.line("                     mean of {}: shortest {}, median {}, longest {}",
                  d.iterations.size(), duration(spread.shortest), duration(spread.median),
                  duration(spread.longest));
    }
    page.line("  throughput         {:.1f} tokens/s/GPU", s.tokens_per_s_per_gpu);
    page.line("  model FLOP rate    {:.1f} TFLOP/s/GPU", s.model_tflops_per_gpu);
    page.line("  MFU                {:.1f} % of {:.1f} TFLOP/s", 100 * s.mfu,
              d.facts.device_peak_flops * 1e-12);
    page.line("                     FLOPs: {}", formula_text(d.facts.flops_formula));
    page.line("  HFU                {:.1f} % (FLOPs that kernels execute, recomputation included)",
              100 * hardware_utilization(d));
    if (skips_what_the_formula_counts(d)) {
        page.line(
            "                     below MFU, whose formula counts the masked half of attention; "
            "kernels skip it");
    }
    page.line("  peak memory        {} of {} on the fullest rank", bytes(s.peak_memory_bytes),
              bytes(d.facts.device_memory_bytes));
    page.line("                     simple sum of live tensors, without allocator, NCCL, context");
}

void published(Page& page, const store::ResultData& d) {
    const auto rows = comparisons(d);
    if (rows.empty()) {
        return;
    }
    page.blank();
    page.line("Against the published run ({})", d.published.source);
    page.line("  {:<24} {:>12} {:>12} {:>9}", "quantity", "predicted", "published", "error");
    for (const PublishedQuantity& row : rows) {
        page.line("  {:<24} {:>12.4g} {:>12.4g} {:>+7.1f} %{}", row.quantity, row.predicted,
                  row.published, 100 * row.error(),
                  row.derived ? "   (published value from its FLOP rate)" : "");
    }
    if (std::ranges::any_of(rows, &PublishedQuantity::formula_assumed)) {
        page.line("  the source states no FLOP formula: compared as if it were {}",
                  d.facts.flops_formula);
    }
    if (!d.published.note.empty()) {
        page.line("  note: {}", d.published.note);
    }
}

void stages(Page& page, const store::ResultData& d) {
    const auto rows = stage_times(d);
    const auto total = static_cast<double>(d.summary.iteration_time_ps);
    page.blank();
    page.line("Pipeline stages (mean over ranks, share of the iteration)");
    page.line("  {:>5} {:>7} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>12}", "stage", "ranks",
              "compute", "TP comm", "DP comm", "PP comm", "bubble", "skew", "peak memory");
    const std::size_t step = (rows.size() + most_stage_rows - 1) / most_stage_rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (step > 1 && i % step != 0 && i + 1 != rows.size()) {
            continue;
        }
        const StageTimes& t = rows[i];
        const auto part = [&](std::int64_t ps) { return share(static_cast<double>(ps), total); };
        const auto booked = [&](std::int64_t ps) { return d.accounts ? part(ps) : "-"; };
        page.line("  {:>5} {:>7} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>12}", t.stage,
                  grouped(t.ranks), part(t.compute), booked(t.tensor), booked(t.data),
                  booked(t.pipeline), booked(t.bubble), booked(t.skew), bytes(t.peak_memory_bytes));
    }
    if (!d.accounts) {
        page.line("  (a native run keeps no account of what ranks wait for)");
    }
    if (step > 1) {
        page.line("  (one stage in {}; --json has all)", step);
    }
}

std::string stages_text(const std::vector<std::int32_t>& stages) {
    const std::int32_t first = stages.front();
    const std::int32_t last = stages.back();
    if (first == last) {
        return fmt::format("stage {}", first);
    }
    return last - first + 1 == static_cast<std::int32_t>(stages.size())
               ? fmt::format("stages {} to {}", first, last)
               : fmt::format("{} stages from {} to {}", stages.size(), first, last);
}

/// Ranks that compute longest, all with the same time on one line.
void slow_ranks(Page& page, const store::ResultData& d) {
    if (d.ranks.busy_ps.size() < 2) {
        return;
    }
    page.blank();
    page.line("Most compute time an iteration");
    for (const EquallyBusy& group : busiest(d, 3)) {
        const std::string others = group.ranks > 1
                                       ? fmt::format(" and {} other{}", grouped(group.ranks - 1),
                                                     group.ranks > 2 ? "s" : "")
                                       : "";
        page.line("  {:>9}   {}, rank {}{}", duration(group.busy_ps), stages_text(group.stages),
                  group.first_rank, others);
    }
}

/// Ranks that were executed.
void real_ranks(Page& page, const store::ResultData& d, const store::RealFacts& facts) {
    if (d.real_ranks.empty()) {
        return;
    }
    constexpr std::size_t most_rows = 8;
    page.blank();
    page.line("Real ranks ({} of {})", d.real_ranks.size(), grouped(d.world_size));
    for (std::size_t i = 0; i < d.real_ranks.size() && i < most_rows; ++i) {
        const store::RealRankRow& row = d.real_ranks[i];
        page.line("  rank {:<10} peak {} of live tensors", row.virtual_rank,
                  bytes(row.peak_allocated_bytes));
    }
    if (d.real_ranks.size() > most_rows) {
        page.line("  ({} more; --json has all)", d.real_ranks.size() - most_rows);
    }
    if (facts.awaited > 0) {
        page.line(
            "  clock of the wall: {} answers awaited, {} of them late by {} in all (at most "
            "{});",
            grouped(facts.awaited), grouped(facts.late), duration(facts.late_ps),
            duration(facts.latest_ps));
        page.line("  the emulated clock was held back {} in all", duration(facts.held_ps));
    }
    if (d.losses.empty()) {
        page.line("  no loss: none of them has the head of the model");
        return;
    }
    const auto loss = [](double nats) {
        return std::isfinite(nats) ? fmt::format("{:.4f}", nats) : std::string{"not finite"};
    };
    page.line("  loss {}{} nats a token{}", loss(d.losses.front()),
              d.losses.size() > 1 ? " -> " + loss(d.losses.back()) : "",
              static_cast<std::int64_t>(d.real_ranks.size()) < d.world_size
                  ? " (what virtual ranks send is made up)"
                  : "");
}

void sources(Page& page, const store::ResultData& d) {
    const auto shares = provenance_shares(d);
    page.blank();
    page.line("Where the times come from (share of nominal kernel and communication time)");
    std::string line;
    for (std::size_t p = 0; p < shares.size(); ++p) {
        line += fmt::format("{}{} {:.1f} %", p == 0 ? "" : ", ",
                            name_of(static_cast<graph::Provenance>(p)), 100 * shares[p]);
    }
    page.line("  {}", line);
    for (std::size_t w = 0; w < d.warnings.size() && w < most_warnings; ++w) {
        page.line("  warning: {}", d.warnings[w]);
    }
    if (d.warnings.size() > most_warnings) {
        page.line("  ({} more warnings; --json has all)", d.warnings.size() - most_warnings);
    }
}

}  // namespace

std::string text(const store::StoredResult& result, const std::string& file) {
    const store::ResultData& d = result.data;
    const store::RunFacts& run = result.provenance.run;
    Page page;
    headline(page, result);
    published(page, d);
    stages(page, d);
    slow_ranks(page, d);
    real_ranks(page, d, run.real);
    sources(page, d);
    page.blank();
    page.line("Emulated {} of {} ops on {} as {}", counted(d.iterations.size(), "iteration"),
              grouped(d.summary.participant_ops), counted(run.host_ranks, "process"),
              counted(d.classes.size(), "rank class"));
    page.line("  slicing {:.2f} s, engine {:.2f} s, total {:.2f} s", run.slicing_wall_s,
              run.engine_wall_s, run.total_wall_s);
    page.line("  deck sha256 {}", result.provenance.deck_sha256);
    if (!file.empty()) {
        page.line("  result file {}", file);
    }
    return std::move(page).take();
}

}  // namespace prismllm::report
