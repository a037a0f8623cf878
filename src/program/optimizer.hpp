// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The optimizer as Megatron-LM steps it: fp32 gradients, loss scale (fp16), gradient norm and
/// clipping, Adam on fp32 masters, masters to weights. Sharded over data-parallel ranks under
/// the distributed optimizer.
#pragma once

#include <vector>

#include "chunk.hpp"

namespace prismllm::program {

class Optimizer {
public:
    /// Allocates both moments for the owned parameters of `chunks` and, for 16-bit weights,
    /// fp32 masters.
    Optimizer(const Context& context, const std::vector<Chunk>& chunks);

    void step();

private:
    /// Parts of tensors that kernels over many tensors work on, one entry a shard.
    using Parts = std::vector<Buffer>;

    void add_shard(Buffer weights, Buffer gradients);
    void count(const ChunkParameters& parameters, std::size_t first_shard);
    /// One fp32 tensor cut like the shards.
    [[nodiscard]] Parts allocate_like_shards(std::string_view name, graph::TensorRole role,
                                             Buffer& whole) const;
    [[nodiscard]] bool has_masters() const;
    void reduce_over_model(Buffer value, graph::ReduceOp op) const;
    [[nodiscard]] Parts fp32_gradients(Buffer& whole) const;
    [[nodiscard]] Buffer unscale_and_check(const Parts& gradients) const;
    void clip(const Parts& gradients) const;
    void update(const Parts& gradients, Buffer found) const;
    void copy_masters() const;

    const Context& context_;
    Parts weights_, gradients_;  ///< owned shards
    std::int64_t owned_ = 0;     ///< elements of all shards
    /// A part of a shard's gradients that this rank counts in the norm.
    struct Counted {
        std::size_t shard = 0;
        std::int64_t first = 0, elements = 0;
    };
    std::vector<Counted> counted_;
    Parts masters_, moment1_, moment2_;
};

}  // namespace prismllm::program
