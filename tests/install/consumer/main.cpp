// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Prints the last context-parallel group of a job of 32 ranks: cp 16, dp 2, so ranks 16 to 31.
#include <cstdio>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/target/layout.hpp"

int main() {
    prismllm::target::Model model;
    model.layers = 2;
    model.hidden_size = 1024;
    model.attention_heads = 16;
    model.vocab_size = 50257;
    prismllm::target::Parallel parallel;
    parallel.world_size = 32;
    parallel.context = 16;
    prismllm::target::Training training;
    training.global_batch_size = 2;
    training.sequence_length = 4096;

    const auto layout = prismllm::target::make_layout(model, parallel, training);
    if (!layout) {
        std::puts(layout.error().message.c_str());
        return 1;
    }
    const auto families = prismllm::target::families_of(*layout);
    const auto& context = families[prismllm::target::FamilyNumbers{}.context];
    const auto ranks = context.group_ranks(context.group_count() - 1);
    std::printf("%s %lld-%lld\n", context.name.c_str(), static_cast<long long>(ranks.front()),
                static_cast<long long>(ranks.back()));
    return 0;
}
