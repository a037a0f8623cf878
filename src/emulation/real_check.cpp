// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "real_check.hpp"

#include <cstdint>

namespace prismllm::emulation {

Status check_real(const target::Job& job, std::size_t text_bytes) {
    if (job.model.vocab_size < 256) {
        return fail(ErrorCode::bad_deck,
                    "model.vocab_size {} is too small (tokens are bytes). Use 256 or more.",
                    job.model.vocab_size);
    }
    if (static_cast<std::int64_t>(text_bytes) <= job.training.sequence_length) {
        return fail(ErrorCode::bad_deck,
                    "native.text has {} bytes (a sample takes training.sequence_length {} and one "
                    "more). Use a longer text or shorter sequences.",
                    text_bytes, job.training.sequence_length);
    }
    if (job.parallel.kv_replication && job.parallel.tensor > job.model.kv_heads) {
        return fail(ErrorCode::bad_deck,
                    "parallel.kv_replication copies K and V heads, which real ranks do not yet. "
                    "Use tensor_parallel {} or less.",
                    job.model.kv_heads);
    }
    if (job.model.positions == target::PositionKind::alibi) {
        return fail(
            ErrorCode::bad_deck,
            "model.positions \"alibi\" has no arithmetic yet. Use \"rope\" or \"learned\".");
    }
    return {};
}

}  // namespace prismllm::emulation
