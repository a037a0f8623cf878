// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file tests/unit/target/jobs.hpp
/// Small valid settings that tests change one value of.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "prismllm/target/job.hpp"
#include "prismllm/target/layout.hpp"

namespace prismllm::target {

/// 24 layers of hidden size 1024, 16 heads, on 64 ranks as TP2 x PP4 x DP8, 4 micro-batches.
inline Job small_job() {
    Job job;
    job.model.layers = 24;
    job.model.hidden_size = 1024;
    job.model.attention_heads = 16;
    job.model.vocab_size = 50257;
    job.parallel.world_size = 64;
    job.parallel.tensor = 2;
    job.parallel.pipeline = 4;
    job.training.micro_batch_size = 1;
    job.training.global_batch_size = 32;
    job.training.sequence_length = 2048;
    return job;
}

inline Expected<Layout> layout_of(const Job& job) {
    return make_layout(job.model, job.parallel, job.training);
}

/// Message of settings that must be refused.
inline std::string refusal_of(const Job& job) {
    const Expected<Layout> layout = layout_of(job);
    if (layout) {
        return "accepted";
    }
    EXPECT_EQ(layout.error().code, ErrorCode::bad_deck);
    return layout.error().message;
}

}  // namespace prismllm::target
