// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Shapes and rules of the operations, the same on every device.
#pragma once

#include <cstdint>

namespace prismllm::device {

struct LinearShape {
    std::int64_t tokens = 0, columns = 0, inner = 0;
};

/// Rows of activations are tokens: row = position x batch + sample. Query head h reads key and
/// value head h / (heads / kv_heads).
struct AttentionSizes {
    std::int64_t batch = 0, sequence = 0, heads = 0, kv_heads = 0, head_dim = 0;
};

/// Rows of `columns` elements. Rows of one head of queries or keys lie in groups: row r begins at
/// (r / group) * group_stride + (r % group) * columns. A plain [rows, columns] matrix is one of
/// group 1 and stride `columns`.
struct RowShape {
    std::int64_t rows = 0, columns = 0;
    std::int64_t group = 1, group_stride = 0;

    [[nodiscard]] constexpr std::int64_t begin(std::int64_t row) const {
        return row / group * group_stride + row % group * columns;
    }
};

[[nodiscard]] constexpr RowShape plain_rows(std::int64_t rows, std::int64_t columns) {
    return {rows, columns, 1, columns};
}

/// Added to the variance (or mean square), as in Megatron-LM's default.
inline constexpr float norm_epsilon = 1e-5F;

/// Gated: SwiGLU, out [rows, columns] = silu(gate) * up of in [rows, gate | up]. Else GELU in its
/// tanh form, as Megatron-LM fuses it.
struct ActivationShape {
    std::int64_t rows = 0, columns = 0;
    bool gated = false;
};

/// Which elements a dropout keeps: a pure function of the key, the sample, and the element's place
/// in it, so that samples may be dealt to micro-batches and ranks in any way. Elements are those of
/// [position, sample, column].
struct DropoutRule {
    float probability = 0;  ///< of being dropped
    std::uint64_t key = 0;
    std::int64_t first = 0;          ///< number of the first element
    std::int64_t samples = 1;        ///< that the tensor holds
    std::int64_t columns = 1;        ///< of a position of a sample
    std::uint64_t first_sample = 0;  ///< number of the first sample in the run
};

/// Pairs (i, i + head_dim / 2) of each head are turned by position * base^(-2i / head_dim);
/// position = row / batch. Works on the first `heads` heads of each row.
struct RopeShape {
    std::int64_t rows = 0, batch = 1, heads = 0, head_dim = 0, row_stride = 0;
    float base = 10000;
    bool backward = false;  ///< turn the other way
};

/// A rank's columns of the logits: [tokens, columns], of which the vocabulary's columns
/// first ... first + used - 1 count and the others are padding.
struct VocabularyPart {
    std::int64_t tokens = 0, columns = 0, first = 0, used = 0;
};

/// Adam with decoupled weight decay (Loshchilov, Hutter, arXiv 1711.05101) and bias correction.
struct AdamRule {
    float learning_rate = 1e-3F, beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F, weight_decay = 0;
    std::int64_t step = 1;  ///< of the update, from 1
};

}  // namespace prismllm::device
