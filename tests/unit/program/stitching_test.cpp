// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The step's slices must stitch for every combination of settings it accepts.
#include <algorithm>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "prismllm/slicing/assemble.hpp"
#include "prismllm/slicing/stitch.hpp"

#include "jobs.hpp"

namespace prismllm::program {
namespace {

graph::ExecutionGraph assemble(const target::Job& job) {
    const auto setup = make_setup(job).value();
    graph::Interner interner;
    slicing::Assembler assembler;
    for (const Representative& r : representatives_of(setup)) {
        const auto c =
            assembler.add_slice("stage", 0, record_slice(setup, r.representative, interner));
        assembler.assign(r.first, r.count, c);
    }
    return std::move(assembler).finish(interner, stream_names(), setup.family_list,
                                       setup.layout.world_size, 8);
}

struct Variant {
    const char* name;
    std::int64_t tensor, pipeline, virtual_pipeline, data, micro_batches;
    bool tied, overlap_p2p, gpipe;
};

class Stitching : public testing::TestWithParam<Variant> {};

TEST_P(Stitching, SlicesOfAllRanksFitTogether) {
    const Variant v = GetParam();
    for (const int zero : {0, 1}) {
        for (const bool overlap : {false, true}) {
            for (const auto order :
                 {target::RankOrder::tp_cp_ep_dp_pp, target::RankOrder::tp_cp_ep_pp_dp}) {
                target::Job job = small_job(v.tensor, v.pipeline, v.data);
                job.parallel.virtual_pipeline = v.virtual_pipeline;
                job.parallel.sequence = v.tensor > 1;
                job.parallel.zero_stage = zero;
                job.parallel.overlap_grad_reduce = overlap;
                job.parallel.overlap_param_gather = overlap && zero > 0;
                job.parallel.overlap_p2p = v.overlap_p2p;
                job.parallel.order = order;
                job.model.tied_embeddings = v.tied;
                job.training.global_batch_size = v.micro_batches * v.data;
                if (v.gpipe) {
                    job.parallel.schedule = target::PipelineSchedule::gpipe;
                }

                const auto graph = assemble(job);
                const Status consistent = check_consistent(graph);
                const auto defects = slicing::find_defects(graph);

                ASSERT_TRUE(consistent.has_value()) << consistent.error().message;
                ASSERT_TRUE(defects.empty()) << defects.front().text;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, Stitching,
    testing::Values(Variant{"single", 1, 1, 1, 1, 2, true, true, false},
                    Variant{"tensor", 4, 1, 1, 1, 2, false, true, false},
                    Variant{"data", 1, 1, 1, 4, 2, false, true, false},
                    Variant{"pipeline2", 1, 2, 1, 1, 4, true, true, false},
                    Variant{"pipeline4", 1, 4, 1, 1, 8, false, true, false},
                    Variant{"case7_few_micro_batches", 1, 8, 1, 1, 1, false, true, false},
                    Variant{"interleaved2", 1, 2, 2, 1, 4, true, true, false},
                    Variant{"interleaved2_no_overlap", 1, 2, 2, 1, 4, true, false, false},
                    Variant{"interleaved4", 2, 4, 2, 2, 8, false, true, false},
                    Variant{"interleaved4_no_overlap", 1, 4, 2, 1, 8, false, false, false},
                    Variant{"case9_rounds_of_five", 1, 4, 2, 1, 10, false, true, false},
                    Variant{"gpipe", 1, 4, 1, 2, 6, false, true, true},
                    Variant{"mixed", 2, 2, 1, 2, 4, true, true, false}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(InterleavedStitching, EveryShapeFitsTogether) {
    for (const std::int64_t stages : {2, 3, 4, 6, 8}) {
        for (const std::int64_t chunks : {2, 3, 4}) {
            for (std::int64_t micro_batches = 1; micro_batches <= 4 * stages; ++micro_batches) {
                const std::int64_t rounds = std::max<std::int64_t>(1, micro_batches / stages);
                if (micro_batches % rounds != 0) {
                    continue;  // make_layout refuses it
                }
                for (const bool overlap : {false, true}) {
                    target::Job job = small_job(1, stages, 1);
                    job.model.layers = stages * chunks;
                    job.parallel.virtual_pipeline = chunks;
                    job.parallel.overlap_p2p = overlap;
                    job.training.global_batch_size = micro_batches;

                    const auto defects = slicing::find_defects(assemble(job));

                    EXPECT_TRUE(defects.empty())
                        << stages << " stages, " << chunks << " chunks, " << micro_batches
                        << " micro-batches, overlap " << overlap << ": " << defects.front().text;
                }
            }
        }
    }
}

}  // namespace
}  // namespace prismllm::program
