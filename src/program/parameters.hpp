// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Weights and main gradients of one model chunk, in the contiguous buckets that data-parallel
/// communication works on (Megatron-LM's param_and_grad_buffer).
#pragma once

#include <vector>

#include "context.hpp"
#include "linear.hpp"

namespace prismllm::program {

/// Parameters that become ready together in the backward pass.
enum class UnitKind : std::uint8_t { embedding, layer, head };

struct Unit {
    UnitKind kind = UnitKind::layer;
    std::int64_t layer = -1;  ///< global number of a layer unit
    std::int64_t elements = 0;
    std::size_t bucket = 0;
    std::int64_t offset = 0;  ///< elements before it in its bucket
};

struct Bucket {
    std::int64_t elements = 0;
    std::size_t first_unit = 0;  ///< in forward order; ready last in the backward pass
    Buffer weights, gradients;
};

struct LayerWeights {
    Linear qkv, projection, fc1, fc2;
    Buffer norms, norm_gradients;
};

struct ChunkParameters {
    std::vector<Unit> units;      ///< forward order
    std::vector<Bucket> buckets;  ///< backward order: bucket 0 holds the last units

    [[nodiscard]] std::int64_t elements() const;
    [[nodiscard]] Buffer weights_of(const Unit& unit) const {
        return buckets[unit.bucket].weights.at(unit.offset);
    }
    [[nodiscard]] Buffer gradients_of(const Unit& unit) const {
        return buckets[unit.bucket].gradients.at(unit.offset);
    }
    [[nodiscard]] LayerWeights layer_weights(const Context& context, const Unit& unit) const;
};

/// Parameters of one rank's chunk, buffers allocated. Only chunk 0 of stage 0 is cut into several
/// buckets, and only where communication overlaps; units are never cut.
[[nodiscard]] ChunkParameters allocate_parameters(const Context& context, std::int64_t chunk);

}  // namespace prismllm::program
