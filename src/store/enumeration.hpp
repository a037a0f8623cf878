// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// How many values each stored enumeration has. Stored numbers are part of the file format:
/// values may be added at the end (schema MINOR), never moved.
#pragma once

#include <string>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::store {

template <class E>
inline constexpr int enumeration_size = 0;
template <>
inline constexpr int enumeration_size<graph::OpKind> = static_cast<int>(graph::OpKind::wait) + 1;
template <>
inline constexpr int enumeration_size<graph::Phase> = static_cast<int>(graph::Phase::other) + 1;
template <>
inline constexpr int enumeration_size<graph::TensorRole> =
    static_cast<int>(graph::TensorRole::communication) + 1;
template <>
inline constexpr int enumeration_size<graph::FamilyKind> =
    static_cast<int>(graph::FamilyKind::expert_model) + 1;
template <>
inline constexpr int enumeration_size<graph::Provenance> =
    static_cast<int>(graph::Provenance::assumed) + 1;
template <>
inline constexpr int enumeration_size<graph::DType> = static_cast<int>(graph::DType::uint8) + 1;
template <>
inline constexpr int enumeration_size<graph::KernelKind> = graph::kernel_kind_count;
template <>
inline constexpr int enumeration_size<graph::CollectiveKind> =
    static_cast<int>(graph::CollectiveKind::recv) + 1;
template <>
inline constexpr int enumeration_size<graph::ReduceOp> = static_cast<int>(graph::ReduceOp::max) + 1;

/// Names of all values, separated by blanks: the CF attribute `flag_meanings`.
template <class E>
[[nodiscard]] std::string flag_meanings() {
    std::string all;
    for (int value = 0; value < enumeration_size<E>; ++value) {
        all += value == 0 ? "" : " ";
        all += graph::name_of(static_cast<E>(value));
    }
    return all;
}

}  // namespace prismllm::store
