// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include <algorithm>

#include "prismllm/graph/memory.hpp"

namespace prismllm::emulation {
namespace {

using comm::Reduction;
using graph::ExecutionGraph;

void fill_ranks(const ExecutionGraph& graph, const engine::LaneResults& lanes,
                const std::vector<std::int64_t>& class_peaks, store::RankColumns& ranks) {
    ranks.virtual_rank = lanes.ranks;
    ranks.end_ps = lanes.end_ps;
    const auto class_of = class_of_ranks(graph);
    for (std::size_t i = 0; i < lanes.ranks.size(); ++i) {
        const std::int32_t c = class_of[static_cast<std::size_t>(lanes.ranks[i])];
        ranks.rank_class.push_back(c);
        ranks.stage.push_back(graph.classes[static_cast<std::size_t>(c)].stage);
        ranks.peak_memory_bytes.push_back(class_peaks[static_cast<std::size_t>(c)]);
        const engine::LaneAccount& account = lanes.accounts[i];
        ranks.busy_ps.push_back(account.busy_ps);
        ranks.communication_ps.insert(ranks.communication_ps.end(),
                                      account.communication_ps.begin(),
                                      account.communication_ps.end());
        ranks.skew_ps.insert(ranks.skew_ps.end(), account.skew_ps.begin(), account.skew_ps.end());
    }
}

void fill_iterations(const comm::Communicator& comm, const engine::LaneResults& lanes,
                     std::int64_t iterations, store::ResultData& data) {
    const std::size_t count = lanes.ranks.size();
    std::vector<std::int64_t> ends(static_cast<std::size_t>(iterations));
    for (std::size_t k = 0; k < ends.size(); ++k) {
        const auto first = lanes.end_ps.begin() + static_cast<std::ptrdiff_t>(k * count);
        ends[k] =
            count == 0 ? 0 : *std::max_element(first, first + static_cast<std::ptrdiff_t>(count));
    }
    comm.reduce_all(ends, Reduction::max);
    std::int64_t start = 0;
    for (const std::int64_t end : ends) {
        data.iterations.push_back({start, end});
        start = end;
    }
}

/// Sums over ranks of times in two parts, since picoseconds of many ranks pass int64: `high`
/// counts 2^32, `low` the rest.
class ExactSums {
public:
    explicit ExactSums(std::size_t size) : parts_(2 * size) {}
    void add(std::size_t at, std::int64_t value) {
        parts_[2 * at] += value >> 32;
        parts_[2 * at + 1] += value & 0xffffffff;
    }
    void reduce(const comm::Communicator& comm) { comm.reduce_all(parts_, Reduction::sum); }
    /// Sum / count, rounded down. @pre 0 < count <= 2^24
    [[nodiscard]] std::int64_t mean(std::size_t at, std::int64_t count) const {
        const std::int64_t high = parts_[2 * at];
        return (high / count << 32) + ((high % count << 32) + parts_[2 * at + 1]) / count;
    }

private:
    std::vector<std::int64_t> parts_;
};

/// Mean per rank and iteration of each stage.
void fill_stages(const comm::Communicator& comm, std::int64_t end, store::ResultData& data) {
    const std::size_t families = data.families.size();
    const std::size_t width = 1 + 2 * families;  // busy, communication, skew
    std::size_t stages = 1;
    for (const store::ClassRow& row : data.classes) {
        stages = std::max(stages, static_cast<std::size_t>(row.stage) + 1);
    }
    const auto iterations = static_cast<std::int64_t>(data.iterations.size());
    const store::RankColumns& ranks = data.ranks;
    std::vector<std::int64_t> counts(stages);
    ExactSums sums{stages * width};
    for (std::size_t i = 0; i < ranks.virtual_rank.size(); ++i) {
        const auto stage = static_cast<std::size_t>(ranks.stage[i]);
        const std::size_t row = stage * width;
        counts[stage] += 1;
        sums.add(row, ranks.busy_ps[i] / iterations);
        for (std::size_t f = 0; f < families; ++f) {
            sums.add(row + 1 + f, ranks.communication_ps[i * families + f] / iterations);
            sums.add(row + 1 + families + f, ranks.skew_ps[i * families + f] / iterations);
        }
    }
    comm.reduce_all(counts, Reduction::sum);
    sums.reduce(comm);
    for (std::size_t s = 0; s < stages; ++s) {
        const std::int64_t count = std::max<std::int64_t>(1, counts[s]);
        store::StageRow stage;
        stage.stage = static_cast<std::int32_t>(s);
        stage.ranks = counts[s];
        stage.busy_ps = sums.mean(s * width, count);
        std::int64_t spent = stage.busy_ps;
        for (std::size_t f = 0; f < families; ++f) {
            stage.communication_ps.push_back(sums.mean(s * width + 1 + f, count));
            stage.skew_ps.push_back(sums.mean(s * width + 1 + families + f, count));
            spent += stage.communication_ps.back() + stage.skew_ps.back();
        }
        // What is left: after the last op, and waiting for kernels of other streams.
        stage.idle_ps = end / iterations - spent;
        data.stages.push_back(std::move(stage));
    }
}

void fill_timeline(const ExecutionGraph& graph, const engine::LaneResults& lanes,
                   store::ResultData& data) {
    if (lanes.timeline.empty()) {
        return;
    }
    const auto class_of = class_of_ranks(graph);
    for (const engine::TimelineEntry& entry : lanes.timeline) {
        const auto c = static_cast<std::size_t>(class_of[static_cast<std::size_t>(entry.rank)]);
        const graph::Op& op = graph.classes[c].ops[static_cast<std::size_t>(entry.op)];
        store::TimelineOp row;
        row.virtual_rank = entry.rank;
        row.op = entry.op;
        row.start_ps = entry.start_ps;
        row.end_ps = entry.end_ps;
        row.iteration = entry.iteration;
        row.name = op.kind == graph::OpKind::kernel
                       ? static_cast<std::int32_t>(graph.kernels[op.index].kind)
                       : graph::kernel_kind_count + static_cast<std::int32_t>(op.index);
        row.stream = op.stream;
        row.phase = op.phase;
        row.micro_batch = op.micro_batch;
        row.layer = op.layer;
        data.timeline.push_back(row);
    }
}

void fill_summary(const ExecutionGraph& graph, const target::Emulation& settings,
                  store::ResultData& data) {
    store::Summary& s = data.summary;
    const std::int64_t end = data.iterations.back().end_ps;
    s.iteration_time_ps = end / static_cast<std::int64_t>(data.iterations.size());
    s.participant_ops = participant_ops(graph);
    s.seed = settings.seed;
    const double seconds = static_cast<double>(s.iteration_time_ps) * 1e-12;
    const auto world = static_cast<double>(graph.world_size);
    if (seconds > 0) {
        s.tokens_per_s_per_gpu =
            static_cast<double>(graph.facts.tokens_per_iteration) / seconds / world;
        const double rate = graph.facts.model_flops_per_iteration / seconds / world;
        s.model_tflops_per_gpu = rate * 1e-12;
        s.mfu = graph.facts.device_peak_flops > 0 ? rate / graph.facts.device_peak_flops : 0;
    }
}

void fill_memory(const std::vector<std::int64_t>& class_peaks, store::ResultData& data) {
    for (std::size_t c = 0; c < class_peaks.size(); ++c) {
        if (data.classes[c].ranks == 0) {
            continue;
        }
        auto& stage = data.stages[static_cast<std::size_t>(data.classes[c].stage)];
        stage.peak_memory_bytes = std::max(stage.peak_memory_bytes, class_peaks[c]);
        data.summary.peak_memory_bytes = std::max(data.summary.peak_memory_bytes, class_peaks[c]);
    }
    const std::int64_t room = data.facts.device_memory_bytes;
    if (room > 0 && data.summary.peak_memory_bytes > room) {
        data.warnings.push_back(fmt::format(
            "the tensors of the fullest rank sum up to {:.1f} GiB, more than the {:.1f} GiB of "
            "{}: as described, the job does not fit.",
            static_cast<double>(data.summary.peak_memory_bytes) / (1 << 30),
            static_cast<double>(room) / (1 << 30), data.facts.device_name));
    }
}

}  // namespace

void summarize(const comm::Communicator& comm, const ExecutionGraph& graph,
               const engine::LaneResults& lanes, const target::Emulation& settings,
               store::ResultData& data) {
    std::vector<std::int64_t> class_peaks;
    for (const graph::RankClass& rank_class : graph.classes) {
        class_peaks.push_back(memory_peak(graph, rank_class).bytes);
    }
    fill_ranks(graph, lanes, class_peaks, data.ranks);
    fill_iterations(comm, lanes, settings.iterations, data);
    fill_stages(comm, data.iterations.back().end_ps, data);
    fill_timeline(graph, lanes, data);
    fill_summary(graph, settings, data);
    fill_memory(class_peaks, data);
}

}  // namespace prismllm::emulation
