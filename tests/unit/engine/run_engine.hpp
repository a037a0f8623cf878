// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/engine/engine.hpp"

#include "graph_builder.hpp"
#include "memory_exchange.hpp"
#include "pipeline_job.hpp"

namespace prismllm::samples {

inline std::vector<std::int32_t> all_here(const graph::ExecutionGraph& graph) {
    return std::vector<std::int32_t>(static_cast<std::size_t>(graph.world_size), 0);
}

/// Replay on one proxy; the test fails if the job does.
inline engine::LaneResults replay(const graph::ExecutionGraph& graph,
                                  const engine::Options& options = {}, int iterations = 1) {
    const Status consistent = graph::check_consistent(graph);
    EXPECT_TRUE(consistent) << (consistent ? "" : consistent.error().message);
    engine::SoloExchange exchange;
    engine::Engine engine{graph, all_here(graph), exchange, options};
    for (int i = 0; i < iterations; ++i) {
        const Status status = engine.run_iteration();
        EXPECT_TRUE(status) << (status ? "" : status.error().message);
    }
    return engine.results();
}

/// The message of the error with which a job on one proxy fails.
inline std::string failure(const graph::ExecutionGraph& graph) {
    engine::SoloExchange exchange;
    engine::Engine engine{graph, all_here(graph), exchange, {}};
    const Status status = engine.run_iteration();
    EXPECT_FALSE(status);
    if (status) {
        return {};
    }
    EXPECT_EQ(status.error().code, ErrorCode::job_failed);
    return status.error().message;
}

/// Outcome of one proxy of several.
struct ProxyOutcome {
    engine::LaneResults results;
    std::vector<Status> iterations;
};

/// Replay on several proxies, a thread each.
inline std::vector<ProxyOutcome> replay_on(const graph::ExecutionGraph& graph,
                                           const std::vector<std::int32_t>& owner, int proxies,
                                           const engine::Options& options = {},
                                           int iterations = 1) {
    MemoryHub hub{proxies};
    std::vector<ProxyOutcome> outcomes(static_cast<std::size_t>(proxies));
    std::vector<std::thread> threads;
    for (int p = 0; p < proxies; ++p) {
        threads.emplace_back([&, p] {
            MemoryExchange exchange{hub, p};
            engine::Engine engine{graph, owner, exchange, options};
            ProxyOutcome& outcome = outcomes[static_cast<std::size_t>(p)];
            for (int i = 0; i < iterations; ++i) {
                outcome.iterations.push_back(engine.run_iteration());
                if (!outcome.iterations.back()) {
                    return;
                }
            }
            outcome.results = engine.results();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return outcomes;
}

}  // namespace prismllm::samples
