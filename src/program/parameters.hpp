// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Weights and main gradients of one model chunk, in the contiguous buffers that data-parallel
/// communication works on bucket by bucket (Megatron-LM's param_and_grad_buffer).
#pragma once

#include <vector>

#include "context.hpp"
#include "weights.hpp"

namespace prismllm::program {

/// Where the tensors of a chunk lie in its buffers. Units are elements.
struct BufferPlan {
    struct Place {
        std::int64_t offset = 0;
        std::size_t bucket = 0;
    };
    struct Range {
        std::int64_t offset = 0;
        std::int64_t elements = 0;    ///< padding included
        std::int64_t parameters = 0;  ///< without padding
    };
    std::vector<Place> tensors;  ///< as the shapes: model order
    std::vector<Range> buckets;  ///< bucket 0 holds the last tensors of the model
    std::int64_t elements = 0;   ///< of the whole buffer
};

struct BufferRules {
    std::int64_t bucket_size = 0;  ///< a bucket is closed once it holds as many elements; 0: never
    std::int64_t shards = 1;       ///< ranks that share a bucket (distributed optimizer)
    bool sharded = false;          ///< distributed optimizer: padding, tables of their own
};

/// Megatron-LM's rule: tensors lie in reverse model order; a bucket ends after the tensor that
/// fills it. With the distributed optimizer a tensor starts at a multiple of 64 elements, a
/// bucket ends at one of lcm(shards, 128), and a table that two stages share is a bucket of
/// its own, so that both cut it alike.
[[nodiscard]] BufferPlan plan_buffer(const std::vector<TensorShape>& shapes,
                                     const BufferRules& rules);

struct Bucket {
    Buffer weights, gradients;  ///< parts of the chunk's buffers, padding included
    std::size_t modules = 0;    ///< that have a tensor here
};

struct ReplicatedGradient {
    Buffer gradient;
    Replication kind = Replication::none;
};

struct ChunkParameters {
    ChunkWeights weights;
    Buffer weight_buffer, gradient_buffer;
    std::vector<Bucket> buckets;                           ///< ready in this order
    std::vector<Parameter> tensors;                        ///< model order
    std::vector<bool> counted_elsewhere;                   ///< [tensor], in the gradient's norm
    std::vector<ReplicatedGradient> replicated;            ///< over tensor ranks, model order
    std::vector<std::vector<std::size_t>> module_buckets;  ///< [module], each bucket once
};

/// Parameters of one rank's chunk, buffers allocated. Only chunk 0 of stage 0 is cut into several
/// buckets, and only where communication overlaps: the others end earlier than it in the
/// backward pass.
[[nodiscard]] ChunkParameters allocate_parameters(const Context& context, std::int64_t chunk);

}  // namespace prismllm::program
