// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "shards.hpp"

namespace prismllm::program {

bool is_sharded(const Setup& setup) {
    return setup.parallel.zero_stage > 0;
}

std::int64_t data_group_size(const Setup& setup) {
    return setup.layout.data * setup.layout.context;
}

std::int64_t shard_count(const Setup& setup) {
    return is_sharded(setup) ? data_group_size(setup) : 1;
}

Buffer owned_part(const Context& context, Buffer bucket) {
    const std::int64_t owned = bucket.elements / shard_count(context.setup);
    if (!is_sharded(context.setup)) {
        return bucket;
    }
    // Context ranks are the faster axis of the group.
    const std::int64_t position =
        context.where.data * context.setup.layout.context + context.where.context;
    return bucket.part(position * owned, owned);
}

}  // namespace prismllm::program
