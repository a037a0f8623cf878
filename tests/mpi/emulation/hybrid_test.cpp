// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// ctest label: mpi. What a real rank feels among virtual ones is what it feels among real ones.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/deck/deck.hpp"
#include "prismllm/emulation/native.hpp"
#include "prismllm/emulation/run.hpp"
#include "prismllm/emulation/slice.hpp"
#include "prismllm/report/compare.hpp"

#include "job_samples.hpp"

namespace prismllm::emulation {
namespace {

using comm::Communicator;
using target::Job;

constexpr std::int64_t steps = 2;

struct Sample {
    std::string name;
    Job job;
};

/// A tiny job on a cluster whose nodes hold two ranks, so that most groups leave a node.
Job tiny_job_on_cluster() {
    Job job = target::tiny_job();
    const auto deck = deck::load(PRISMLLM_SOURCE_DIR "/inputs/decks/tiny/gpt.toml", {});
    EXPECT_TRUE(deck.has_value());
    job.device = deck->job.device;
    job.cluster = deck->job.cluster;
    job.cluster.gpus_per_node = 2;
    job.native.steps = job.emulation.iterations = steps;
    return job;
}

Sample sample(std::string name, int tensor, int pipeline, int data, int chunks = 1) {
    Job job = tiny_job_on_cluster();
    job.parallel.tensor = tensor;
    job.parallel.pipeline = pipeline;
    job.parallel.virtual_pipeline = chunks;
    job.parallel.world_size = std::int64_t{tensor} * pipeline * data;
    return {std::move(name), std::move(job)};
}

Sample with_zero1(Sample s) {
    s.job.parallel.zero_stage = 1;
    s.job.parallel.overlap_grad_reduce = s.job.parallel.overlap_param_gather = true;
    return s;
}

/// Rank 1 stands still before the last step.
Sample with_pause(Sample s) {
    s.job.emulation.pauses = {{1, steps - 1, 0.05}};
    return s;
}

/// Ways to cut the job over this number of ranks.
std::vector<Sample> samples_of(int ranks) {
    std::vector<Sample> all;
    switch (ranks) {
        case 1:
            all = {sample("one", 1, 1, 1)};
            break;
        case 2:
            all = {sample("tp2", 2, 1, 1),    sample("tp2 sp", 2, 1, 1),
                   sample("pp2", 1, 2, 1),    sample("pp2 interleaved", 1, 2, 1, 2),
                   sample("dp2", 1, 1, 2),    with_zero1(sample("dp2 zero", 1, 1, 2)),
                   sample("pp2 gpt", 1, 2, 1)};
            all[1].job.parallel.sequence = true;
            make_gpt_like(all[6].job);
            all.push_back(with_pause(sample("pp2 pause", 1, 2, 1)));
            break;
        case 4:
            all = {sample("tp2 pp2", 2, 2, 1, 2), with_zero1(sample("tp2 dp2", 2, 1, 2)),
                   sample("pp2 dp2", 1, 2, 2), sample("pp4", 1, 4, 1), sample("tp4", 4, 1, 1)};
            all[0].job.parallel.sequence = all[1].job.parallel.sequence = true;
            all[0].job.training.recompute = target::Recompute::full;
            make_gpt_like(all[2].job);
            all.push_back(with_pause(sample("tp2 dp2 pause", 2, 1, 2)));
            break;
        case 8:
            all = {with_zero1(sample("tp2 pp2 dp2", 2, 2, 2, 2))};
            all[0].job.parallel.sequence = true;
            break;
        case 16:
            all = {with_zero1(sample("tp2 pp4 dp2", 2, 4, 2))};
            break;
        default:
            break;
    }
    return all;
}

std::vector<std::byte> text() {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < 1024; ++i) {
        bytes.push_back(static_cast<std::byte>("to be real among many that are not. "[i % 36]));
    }
    return bytes;
}

bool go_on(std::int64_t, double, double) {
    return false;
}

/// Each rank alone, and each pair of them.
std::vector<std::vector<std::int64_t>> choices(std::int64_t ranks) {
    std::vector<std::vector<std::int64_t>> all;
    for (std::int64_t a = 0; a < ranks; ++a) {
        all.push_back({a});
        for (std::int64_t b = a + 1; b < ranks; ++b) {
            all.push_back({a, b});
        }
    }
    return all;
}

void expect_no_difference(const store::ResultData& native, const store::ResultData& emulated) {
    const auto comparison = report::compare(native, emulated);
    ASSERT_TRUE(comparison.has_value()) << comparison.error().message;
    EXPECT_EQ(comparison->notes.empty(), native.world_size > 1);  // one rank calls nobody
    EXPECT_EQ(comparison->rows.size(), native.world_size > 1 ? 8U : 6U);
    for (const report::Difference& row : comparison->rows) {
        EXPECT_GT(row.places, 0) << row.name;
        EXPECT_EQ(row.differing, 0) << row.name << ", largest " << row.largest << " " << row.unit;
    }
}

class Hybrid : public testing::Test {
protected:
    Hybrid() {
        setenv("PRISMLLM_BIND", "none", 1);  // tests of pinning follow in this process
    }

    /// The ground truth of a sample; process 0 holds it.
    store::ResultData native(const Sample& sample, const graph::ExecutionGraph& graph) const {
        Job job = sample.job;
        for (std::int64_t rank = 0; rank < graph.world_size; ++rank) {
            job.emulation.timeline_ranks.push_back(rank);
        }
        const NativeClock clock{graph};
        auto run = run_native(world_, job, text_, go_on, &clock);
        EXPECT_TRUE(run.has_value()) << (run ? "" : run.error().message);
        return run ? std::move(run->data) : store::ResultData{};
    }

    /// All that process 0 needs for a comparison, gathered there.
    static void gather(const Communicator& comm, store::ResultData& data) {
        const auto ranks = comm.gather(data.ranks.virtual_rank);
        const auto ends = comm.gather(data.ranks.end_ps);
        std::vector<std::int64_t> packed;
        for (const store::TimelineOp& op : data.timeline) {
            packed.insert(packed.end(),
                          {op.virtual_rank, op.op, op.start_ps, op.end_ps, op.iteration, op.name});
        }
        const auto timelines = comm.gather(packed);
        if (comm.rank() > 0) {
            return;
        }
        const auto count = static_cast<std::size_t>(data.world_size);
        data.ranks.end_ps.assign(count * data.iterations.size(), -1);
        data.timeline.clear();
        for (std::size_t p = 0; p < ranks.size(); ++p) {
            for (std::size_t k = 0; k < data.iterations.size(); ++k) {
                for (std::size_t i = 0; i < ranks[p].size(); ++i) {
                    data.ranks.end_ps[k * count + static_cast<std::size_t>(ranks[p][i])] =
                        ends[p][k * ranks[p].size() + i];
                }
            }
            for (std::size_t i = 0; i < timelines[p].size(); i += 6) {
                const std::int64_t* v = &timelines[p][i];
                data.timeline.push_back({v[0], v[1], v[2], v[3], static_cast<std::int32_t>(v[4]),
                                         static_cast<std::int32_t>(v[5])});
            }
        }
    }

    Communicator world_ = Communicator::world();
    std::vector<std::byte> text_ = text();
};

/// Each choice on the least processes, and on as many as there are.
TEST_F(Hybrid, RealRanksFeelWhatTheyFeelNatively) {
    for (const Sample& sample : samples_of(world_.size())) {
        const graph::ExecutionGraph graph = slice_and_prove(sample.job).value();
        const store::ResultData truth = native(sample, graph);
        for (const std::vector<std::int64_t>& real : choices(graph.world_size)) {
            const int proxies = static_cast<std::int64_t>(real.size()) < graph.world_size ? 1 : 0;
            const int least = static_cast<int>(real.size()) + proxies;
            for (int processes : {least, least + 1}) {
                if (processes > world_.size() || (proxies == 0 && processes > least)) {
                    continue;
                }
                std::vector<int> members;
                for (int p = 0; p < processes; ++p) {
                    members.push_back(p);
                }
                const auto some = world_.subset(members);
                if (!some) {
                    continue;
                }
                Job job = sample.job;
                job.emulation.real_ranks = real;
                const RealProgram program{job, text_};
                auto emulated =
                    emulate(*some, graph, job.emulation, {}, &program, [] { return false; });
                ASSERT_TRUE(emulated.has_value()) << emulated.error().message;
                gather(*some, emulated->data);
                if (some->rank() == 0) {
                    SCOPED_TRACE(sample.name + ", first real rank " + std::to_string(real[0]));
                    expect_no_difference(truth, emulated->data);
                }
            }
        }
    }
}

/// Real rank 0 of two, on two processes.
class OnTheWallsClock : public Hybrid {
protected:
    Expected<Emulated> run(const Sample& sample, const graph::ExecutionGraph& graph,
                           const Communicator& two) {
        job_ = sample.job;
        job_.emulation.real_ranks = {0};
        job_.emulation.clock = target::RunClock::wall;
        job_.emulation.real_durations = durations_;
        const RealProgram program{job_, text_};
        return emulate(two, graph, job_.emulation, {}, &program, [] { return false; });
    }

    Job job_;
    target::RealDurations durations_ = target::RealDurations::graph;
};

TEST_F(OnTheWallsClock, ModelledTimesAreThoseOfTheVirtualClock) {
    const auto two = world_.subset(std::vector<int>{0, 1});
    if (world_.size() != 2 || !two) {
        GTEST_SKIP() << "for two processes";
    }
    for (const Sample& sample : samples_of(2)) {
        const graph::ExecutionGraph graph = slice_and_prove(sample.job).value();
        const store::ResultData truth = native(sample, graph);
        const auto begin = std::chrono::steady_clock::now();
        auto emulated = run(sample, graph, *two);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        ASSERT_TRUE(emulated.has_value()) << emulated.error().message;
        gather(*two, emulated->data);
        if (two->rank() == 0) {
            SCOPED_TRACE(sample.name);
            expect_no_difference(truth, emulated->data);
            const auto end = static_cast<double>(emulated->data.iterations.back().end_ps) * 1e-12;
            EXPECT_GE(took.count(), end) << "the wall has not waited";
        }
    }
}

TEST_F(OnTheWallsClock, MeasuredTimesAreTheWalls) {
    const auto two = world_.subset(std::vector<int>{0, 1});
    if (world_.size() != 2 || !two) {
        GTEST_SKIP() << "for two processes";
    }
    durations_ = target::RealDurations::measured;
    for (const Sample& sample : samples_of(2)) {
        const graph::ExecutionGraph graph = slice_and_prove(sample.job).value();
        const auto begin = std::chrono::steady_clock::now();
        const auto emulated = run(sample, graph, *two);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        ASSERT_TRUE(emulated.has_value()) << emulated.error().message;
        SCOPED_TRACE(sample.name);
        const auto end = static_cast<double>(emulated->data.iterations.back().end_ps) * 1e-12;
        EXPECT_GE(took.count(), end);
        // Emulated time stood still for what is told, and for setting up.
        const double held = static_cast<double>(emulated->real.held_ps) * 1e-12;
        EXPECT_GT(emulated->real.awaited, 0);
        EXPECT_LT(took.count() - held - end, 1);
    }
}

}  // namespace
}  // namespace prismllm::emulation
