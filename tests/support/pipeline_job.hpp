// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Synthetic training jobs for tests and benchmarks of the engine: tensor, data and pipeline
/// parallel, one class a stage, ops as a Megatron-LM step issues them.
#pragma once

#include <cstdint>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::samples {

struct PipelineJob {
    int tensor = 1, data = 1, pipeline = 1;
    int chunks = 1;  ///< model chunks a stage; more than 1: interleaved 1F1B, overlapped p2p
    int micro_batches = 1;
    int layers = 1;          ///< a chunk
    int forward_blocks = 1;  ///< a layer: blocks of kernels, each followed by a TP collective
    int backward_blocks = 1;
    int kernels = 1;  ///< a block
    std::int64_t kernel_ps = 1000;
    std::int64_t backward_kernel_ps = 1000;
    std::int64_t tensor_cost_ps = 0, data_cost_ps = 0, pipeline_cost_ps = 0;
    bool tensor_calls = true;   ///< make the TP collectives
    bool data_calls = true;     ///< gather weights and reduce gradients, layer by layer
    bool extra_events = false;  ///< an event that a second stream waits for after every kernel
};

/// Streams: compute, tensor, data, pipeline, forward send, forward recv, backward send,
/// backward recv. Families: tp, dp, pp, world.
[[nodiscard]] graph::ExecutionGraph make_pipeline_job(const PipelineJob& job);

/// Shape of Llama 3.1 405B on 8,192 devices: TP8 DP64 PP16, about 20,000 timed ops a rank.
[[nodiscard]] PipelineJob large_job();

}  // namespace prismllm::samples
