// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The two tensor-parallel linear layers of Megatron-LM. A column-parallel layer gathers its
/// sequence-sharded input and splits the output columns; a row-parallel layer leaves partial
/// sums that reduce_partial adds up.
#pragma once

#include "context.hpp"
#include "weights.hpp"

namespace prismllm::program {

/// in: [sharded tokens, inner] -> [tokens, columns].
[[nodiscard]] Buffer column_forward(const Context& context, const Linear& layer, Buffer in);
/// Returns the input gradient [sharded tokens, inner]. The re-gather of `in` runs beside the
/// input gradient's GEMM, its reduction beside the weight gradient's. Consumes `grad`.
[[nodiscard]] Buffer column_backward(const Context& context, const Linear& layer, Buffer in,
                                     Buffer grad);

/// in: [tokens, inner] -> [sharded tokens, columns], summed over the tensor group. The bias is
/// not added: Megatron-LM leaves that to the residual addition.
[[nodiscard]] Buffer row_forward(const Context& context, const Linear& layer, Buffer in);
/// grad: [sharded tokens, columns] is kept; returns [tokens, inner].
[[nodiscard]] Buffer row_backward(const Context& context, const Linear& layer, Buffer in,
                                  Buffer grad, std::string_view name);

}  // namespace prismllm::program
