// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/graph/kernel.hpp"

namespace prismllm::graph {
namespace {

/// Name of an enumerator; values outside the table (files of another version) stay printable.
template <class Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, Enum value) {
    const auto i = static_cast<std::size_t>(value);
    return i < N ? names[i] : std::string_view{"unknown"};
}

}  // namespace

std::string_view name_of(OpKind kind) {
    static constexpr std::array<std::string_view, 6> names{"kernel",  "communicate", "allocate",
                                                           "release", "record",      "wait"};
    return pick(names, kind);
}

std::string_view name_of(Phase phase) {
    static constexpr std::array<std::string_view, 6> names{"forward",   "backward",  "recompute",
                                                           "gradients", "optimizer", "other"};
    return pick(names, phase);
}

std::string_view name_of(TensorRole role) {
    static constexpr std::array<std::string_view, tensor_role_count> names{
        "weight", "gradient", "optimizer_state", "activation", "workspace", "communication"};
    return pick(names, role);
}

std::string_view name_of(FamilyKind kind) {
    static constexpr std::array<std::string_view, 14> names{
        "tensor",        "context",     "expert",      "data",        "data_context",
        "pipeline",      "embedding",   "model",       "world",       "other",
        "expert_tensor", "expert_data", "expert_mesh", "expert_model"};
    return pick(names, kind);
}

std::string_view name_of(Provenance provenance) {
    static constexpr std::array<std::string_view, 4> names{"measured", "calibrated", "modelled",
                                                           "assumed"};
    return pick(names, provenance);
}

std::string_view name_of(DType dtype) {
    static constexpr std::array<std::string_view, 7> names{"fp32",  "bf16",  "fp16", "fp8",
                                                           "int64", "int32", "uint8"};
    return pick(names, dtype);
}

std::string_view name_of(KernelKind kind) {
    static constexpr std::array<std::string_view, kernel_kind_count> names{"gemm",
                                                                           "attention_forward",
                                                                           "attention_backward",
                                                                           "softmax_forward",
                                                                           "softmax_backward",
                                                                           "dropout",
                                                                           "norm_forward",
                                                                           "norm_backward",
                                                                           "activation_forward",
                                                                           "activation_backward",
                                                                           "residual_add",
                                                                           "elementwise",
                                                                           "rope",
                                                                           "embedding_forward",
                                                                           "embedding_backward",
                                                                           "cross_entropy_forward",
                                                                           "cross_entropy_backward",
                                                                           "fill",
                                                                           "copy",
                                                                           "l2_norm",
                                                                           "adam"};
    return pick(names, kind);
}

std::string_view name_of(CollectiveKind kind) {
    static constexpr std::array<std::string_view, 9> names{
        "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
        "all_to_all", "barrier",    "send",           "recv"};
    return pick(names, kind);
}

std::string_view name_of(ReduceOp op) {
    static constexpr std::array<std::string_view, 4> names{"none", "sum", "avg", "max"};
    return pick(names, op);
}

}  // namespace prismllm::graph
