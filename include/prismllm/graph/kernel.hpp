// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/graph/kernel.hpp
/// Descriptions of work: all that a cost model may see. A description never holds a duration.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace prismllm::graph {

enum class DType : std::uint8_t { fp32, bf16, fp16, fp8, int64, int32, uint8 };

/// Bytes of one element.
[[nodiscard]] constexpr std::int64_t size_of(DType dtype) {
    switch (dtype) {
        case DType::int64:
            return 8;
        case DType::fp32:
        case DType::int32:
            return 4;
        case DType::bf16:
        case DType::fp16:
            return 2;
        case DType::fp8:
        case DType::uint8:
            return 1;
    }
    return 1;
}
[[nodiscard]] std::string_view name_of(DType dtype);

/// What `Kernel::shape` means for each kind stands behind it (unused entries are 0).
enum class KernelKind : std::uint8_t {
    gemm,                    ///< m, n, k, batch, pass (0 forward, 1 dgrad, 2 wgrad), product of
                             ///< unfused attention (0 none)
    attention_forward,       ///< batch, seq_q, seq_kv, heads, kv_heads, head_dim, causal
    attention_backward,      ///< as attention_forward
    softmax_forward,         ///< rows, columns: scale + mask + softmax of unfused attention
    softmax_backward,        ///< rows, columns
    dropout,                 ///< elements, mask (1 written, 2 read), of (0 hidden states,
                             ///< 1 attention probabilities)
    norm_forward,            ///< rows, columns
    norm_backward,           ///< rows, columns
    activation_forward,      ///< rows, columns (of the output), gated
    activation_backward,     ///< rows, columns, gated
    residual_add,            ///< elements, mask (0 none, 1 written): bias + dropout + add
    elementwise,             ///< elements, reads, writes (tensors of that size), operation
    rope,                    ///< rows, columns, direction (0 forward, 1 backward)
    embedding_forward,       ///< tokens, columns, table_rows
    embedding_backward,      ///< tokens, columns, table_rows
    cross_entropy_forward,   ///< rows, columns (vocabulary of this rank), part (0, 1)
    cross_entropy_backward,  ///< rows, columns, part (2)
    fill,                    ///< elements
    copy,                    ///< elements (cast included)
    l2_norm,                 ///< elements
    adam,                    ///< elements (parameters of this rank's shard)
};
inline constexpr int kernel_kind_count = 21;
[[nodiscard]] std::string_view name_of(KernelKind kind);

/// One device kernel (or the fused group that the framework launches as one).
struct Kernel {
    KernelKind kind = KernelKind::fill;
    DType dtype = DType::bf16;  ///< of the operands
    std::array<std::int64_t, 7> shape{};
    double flops = 0;        ///< floating point operations executed (2 a multiply-add)
    std::int64_t bytes = 0;  ///< least device-memory traffic: operands read, results written
    bool operator==(const Kernel&) const = default;
};

enum class CollectiveKind : std::uint8_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    broadcast,
    reduce,
    all_to_all,
    barrier,
    send,
    recv,
};
[[nodiscard]] std::string_view name_of(CollectiveKind kind);

enum class ReduceOp : std::uint8_t { none, sum, avg, max };
[[nodiscard]] std::string_view name_of(ReduceOp op);

/// Index of a family in ExecutionGraph::families.
using FamilyIndex = std::uint16_t;

/// One communication call as its caller states it. Peers are named by role, never by rank:
/// a send or recv names the distance in the group (peer position = own position + peer_delta
/// modulo group size), a rooted collective the root's position.
struct Communication {
    CollectiveKind kind = CollectiveKind::all_reduce;
    DType dtype = DType::bf16;
    ReduceOp reduce = ReduceOp::none;
    FamilyIndex family = 0;
    std::int64_t elements = 0;  ///< NCCL's count: per rank sent (all_gather), received
                                ///< (reduce_scatter), else of the whole buffer
    std::int32_t root = -1;
    std::int32_t peer_delta = 0;
    std::int32_t splits = -1;  ///< all_to_all with uneven splits: row in ExecutionGraph::splits
    bool operator==(const Communication&) const = default;
};

/// The size NCCL's model works with: max(send, recv) bytes over the call on one rank.
[[nodiscard]] std::int64_t payload_bytes(const Communication& c, std::int64_t group_size);

}  // namespace prismllm::graph
