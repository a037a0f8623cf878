// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Core attention by products of cuBLAS over many heads at once. The fused forms hold the scores of
// some rows of queries at a time.
#include <cmath>

#include "../bodies/rows.hpp"
#include "cuda_operations.hpp"
#include "grid.cuh"
#include "scratch.hpp"
#include "typed.cuh"

namespace prismllm::device::cuda {
namespace {

using graph::DType;

float scale_of(const AttentionSizes& sizes) {
    return 1.0F / std::sqrt(static_cast<float>(sizes.head_dim));
}

/// Query heads of a sample that one product takes together: those of one key head, or all where
/// each has its own.
struct Group {
    std::int64_t sample = 0;
    std::int64_t first = 0;     ///< query head
    std::int64_t kv_first = 0;  ///< key head of the first
    std::int64_t count = 0;     ///< query heads
    bool shares = false;        ///< one key head for all

    [[nodiscard]] std::int64_t kv_count() const { return shares ? 1 : count; }
};

template <class Body>
void for_each_group(const AttentionSizes& sizes, const Body& body) {
    const std::int64_t group = sizes.heads / sizes.kv_heads;
    for (std::int64_t sample = 0; sample < sizes.batch; ++sample) {
        if (group == 1) {
            body(Group{sample, 0, 0, sizes.heads, false});
            continue;
        }
        for (std::int64_t kv = 0; kv < sizes.kv_heads; ++kv) {
            body(Group{sample, kv * group, kv, group, true});
        }
    }
}

/// [position, head_dim] matrices of heads that lie in the rows of tokens.
Matrices heads_at(const AttentionSizes& sizes, const HeadsView& heads, std::int64_t sample,
                  std::int64_t head, std::int64_t position, bool same) {
    const std::int64_t row = sizes.batch * heads.row_stride;
    return {heads.first.behind(sample * heads.row_stride + head * sizes.head_dim + position * row),
            row, false, same ? 0 : sizes.head_dim};
}

Matrices of_queries(const AttentionSizes& sizes, const HeadsView& heads, const Group& g,
                    std::int64_t position = 0) {
    return heads_at(sizes, heads, g.sample, g.first, position, false);
}

Matrices of_keys(const AttentionSizes& sizes, const HeadsView& heads, const Group& g) {
    return heads_at(sizes, heads, g.sample, g.kv_first, 0, g.shares);
}

Matrices transposed(Matrices m) {
    m.transposed = !m.transposed;
    return m;
}

/// A [tokens, heads x head_dim] matrix.
HeadsView plain(const AttentionSizes& sizes, View view) {
    return {view, sizes.heads * sizes.head_dim};
}

/// Score matrices of a group among those of all heads.
Matrices scores_of(const AttentionSizes& sizes, View scores, const Group& g) {
    const std::int64_t square = sizes.sequence * sizes.sequence;
    return {scores.behind((g.sample * sizes.heads + g.first) * square), sizes.sequence, false,
            square};
}

/// One matrix among several.
Matrices nth(Matrices m, std::int64_t n) {
    m.first = m.first.behind(n * m.next);
    m.next = 0;
    return m;
}

/// Rows of queries whose scores are held at a time, for all heads of a group.
struct Tile {
    std::int64_t first = 0, rows = 0;
    std::int64_t keys = 0;  ///< that the mask leaves to the last of them
};

std::int64_t tile_rows(const AttentionSizes& sizes, std::int64_t heads, std::int64_t most_scores) {
    const std::int64_t rows = most_scores / (heads * sizes.sequence);
    return std::clamp<std::int64_t>(rows, 1, sizes.sequence);
}

template <class Body>
void for_each_tile(const AttentionSizes& sizes, std::int64_t height, const Body& body) {
    for (std::int64_t first = 0; first < sizes.sequence; first += height) {
        const std::int64_t rows = std::min(height, sizes.sequence - first);
        body(Tile{first, rows, first + rows});
    }
}

/// Number of a head's row among [position, sample, head].
__device__ std::int64_t token_head(const AttentionSizes& sizes, const Group& g, std::int64_t head,
                                   std::int64_t position) {
    return (position * sizes.batch + g.sample) * sizes.heads + g.first + head;
}

/// Probabilities of a tile, [head, row, key], and their log of the sum.
void softmax_of(cudaStream_t stream, const AttentionSizes& sizes, const Group& g, const Tile& tile,
                View scores, View probabilities, View log_sum_exp) {
    rows(stream, g.count * tile.rows,
         [=, scale = scale_of(sizes), x = typed(scores), y = typed(probabilities),
          lse = typed(log_sum_exp)] __device__(const BlockTeam& team, std::int64_t r) {
             const std::int64_t position = tile.first + r % tile.rows;
             const float sum =
                 bodies::softmax(team, r * tile.keys, position + 1, tile.keys, scale, x, y);
             team.once([&] { store(lse, token_head(sizes, g, r / tile.rows, position), sum); });
         });
}

/// From scores and gradients of probabilities, both fp32 [head, row, key], to the probabilities
/// and the gradients of the scores.
/// @param dots [position, sample, head] products of outputs and their gradients
void gradients_of(cudaStream_t stream, const AttentionSizes& sizes, const Group& g,
                  const Tile& tile, View scores, View grads, View log_sum_exp, const float* dots,
                  View probabilities, View grad_scores) {
    rows(stream, g.count * tile.rows,
         [=, scale = scale_of(sizes), x = typed(scores), dp = typed(grads),
          lse = typed(log_sum_exp), p = typed(probabilities),
          ds = typed(grad_scores)] __device__(const BlockTeam& team, std::int64_t r) {
             const std::int64_t position = tile.first + r % tile.rows;
             const std::int64_t at = token_head(sizes, g, r / tile.rows, position);
             const float sum = load(lse, at);
             const float mean = dots[at];
             const std::int64_t begin = r * tile.keys;
             team.each(tile.keys, [&](std::int64_t c) {
                 const float value =
                     c <= position ? std::exp(load(x, begin + c) * scale - sum) : 0.0F;
                 store(p, begin + c, value);
                 store(ds, begin + c, value * (load(dp, begin + c) - mean) * scale);
             });
         });
}

/// dots [token, head] of outputs and their gradients, both [token, head, head_dim]
void dots_of(cudaStream_t stream, const AttentionSizes& sizes, View out, View grad_out,
             float* dots) {
    const std::int64_t d = sizes.head_dim;
    rows(
        stream, out.elements / d,
        [=, x = typed(out), y = typed(grad_out)] __device__(const BlockTeam& team, std::int64_t r) {
            const double sum = team.sum(d, [&](std::int64_t i) {
                return static_cast<double>(load(x, r * d + i)) *
                       static_cast<double>(load(y, r * d + i));
            });
            team.once([&] { dots[r] = static_cast<float>(sum); });
        });
}

/// [head, position, head_dim] fp32 sums into the rows of tokens.
void scatter_heads(cudaStream_t stream, const AttentionSizes& sizes, const Group& g, View sums,
                   const HeadsView& heads) {
    const Matrices to = of_keys(sizes, heads, g);
    const std::int64_t d = sizes.head_dim;
    const std::int64_t sequence = sizes.sequence;
    each(stream, g.kv_count() * sequence * d,
         [=, stride = to.row_stride, x = typed(sums),
          y = typed(to.first)] __device__(std::int64_t i) {
             const std::int64_t position = i / d % sequence;
             store(y, position * stride + i / (d * sequence) * d + i % d, load(x, i));
         });
}

/// Sums of what all query heads give to their key heads: sums [key head, position, head_dim]
/// += a^T b, over `keys` positions.
void add_to_keys(Blas& blas, const AttentionSizes& sizes, const Group& g, const Tile& tile,
                 const Matrices& a, const Matrices& b, View sums) {
    const std::int64_t d = sizes.head_dim;
    Product product{tile.keys, d, tile.rows, 1, 1};
    const Matrices to{sums, d, false, sizes.sequence * d};
    if (!g.shares) {
        product.count = g.count;
        return blas.multiply(product, transposed(a), b, to);
    }
    for (std::int64_t head = 0; head < g.count; ++head) {
        blas.multiply(product, transposed(nth(a, head)), nth(b, head), nth(to, 0));
    }
}

}  // namespace

void CudaOperations::attention_forward(const AttentionSizes& sizes, const QueriesKeysValuesView& in,
                                       View out, View log_sum_exp) {
    for_each_group(sizes, [&](const Group& g) {
        const std::int64_t height = tile_rows(sizes, g.count, most_scores_);
        const std::int64_t elements = g.count * height * sizes.sequence;
        const Scratch scores{stream_, DType::fp32, elements};
        const Scratch probabilities{stream_, in.values.first.dtype, elements};
        for_each_tile(sizes, height, [&](const Tile& tile) {
            const std::int64_t next = tile.rows * tile.keys;
            blas_.multiply({tile.rows, tile.keys, sizes.head_dim, 1, 0, g.count},
                           of_queries(sizes, in.queries, g, tile.first),
                           transposed(of_keys(sizes, in.keys, g)),
                           {scores.view(), tile.keys, false, next});
            softmax_of(stream_, sizes, g, tile, scores.view(), probabilities.view(), log_sum_exp);
            blas_.multiply({tile.rows, sizes.head_dim, tile.keys, 1, 0, g.count},
                           {probabilities.view(), tile.keys, false, next},
                           of_keys(sizes, in.values, g),
                           of_queries(sizes, plain(sizes, out), g, tile.first));
        });
    });
}

void CudaOperations::attention_backward(const AttentionSizes& sizes,
                                        const QueriesKeysValuesView& in, View out, View log_sum_exp,
                                        View grad_out, const QueriesKeysValuesView& gradient) {
    const std::int64_t d = sizes.head_dim;
    const Scratch dots{stream_, DType::fp32, out.elements / d};
    dots_of(stream_, sizes, out, grad_out, dots.as<float>());
    for_each_group(sizes, [&](const Group& g) {
        const std::int64_t height = tile_rows(sizes, g.count, most_scores_);
        const std::int64_t elements = g.count * height * sizes.sequence;
        const DType dtype = in.queries.first.dtype;
        const Scratch scores{stream_, DType::fp32, elements};
        const Scratch grads{stream_, DType::fp32, elements};
        const Scratch probabilities{stream_, dtype, elements};
        const Scratch grad_scores{stream_, dtype, elements};
        const Scratch grad_keys{stream_, DType::fp32, g.kv_count() * sizes.sequence * d};
        const Scratch grad_values{stream_, DType::fp32, g.kv_count() * sizes.sequence * d};
        fill(0, grad_keys.view());
        fill(0, grad_values.view());
        for_each_tile(sizes, height, [&](const Tile& tile) {
            const std::int64_t next = tile.rows * tile.keys;
            const auto tiled = [&](const Scratch& s) {
                return Matrices{s.view(), tile.keys, false, next};
            };
            const Matrices queries = of_queries(sizes, in.queries, g, tile.first);
            const Matrices grad = of_queries(sizes, plain(sizes, grad_out), g, tile.first);
            const Product to_scores{tile.rows, tile.keys, d, 1, 0, g.count};
            blas_.multiply(to_scores, queries, transposed(of_keys(sizes, in.keys, g)),
                           tiled(scores));
            blas_.multiply(to_scores, grad, transposed(of_keys(sizes, in.values, g)), tiled(grads));
            gradients_of(stream_, sizes, g, tile, scores.view(), grads.view(), log_sum_exp,
                         dots.as<float>(), probabilities.view(), grad_scores.view());
            add_to_keys(blas_, sizes, g, tile, tiled(probabilities), grad, grad_values.view());
            add_to_keys(blas_, sizes, g, tile, tiled(grad_scores), queries, grad_keys.view());
            blas_.multiply({tile.rows, d, tile.keys, 1, 0, g.count}, tiled(grad_scores),
                           of_keys(sizes, in.keys, g),
                           of_queries(sizes, gradient.queries, g, tile.first));
        });
        scatter_heads(stream_, sizes, g, grad_keys.view(), gradient.keys);
        scatter_heads(stream_, sizes, g, grad_values.view(), gradient.values);
    });
}

void CudaOperations::attention_scores(const AttentionSizes& sizes, const QueriesKeysValuesView& in,
                                      View scores) {
    const std::int64_t s = sizes.sequence;
    for_each_group(sizes, [&](const Group& g) {
        blas_.multiply({s, s, sizes.head_dim, 1, 0, g.count}, of_queries(sizes, in.queries, g),
                       transposed(of_keys(sizes, in.keys, g)), scores_of(sizes, scores, g));
    });
}

void CudaOperations::masked_softmax(const AttentionSizes& sizes, View scores) {
    const std::int64_t s = sizes.sequence;
    rows(stream_, sizes.batch * sizes.heads * s,
         [=, scale = scale_of(sizes), x = typed(scores)] __device__(const BlockTeam& team,
                                                                    std::int64_t r) {
             (void)bodies::softmax(team, r * s, r % s + 1, s, scale, x, x);
         });
}

void CudaOperations::attention_context(const AttentionSizes& sizes, View probabilities,
                                       const HeadsView& values, View out) {
    const std::int64_t s = sizes.sequence;
    for_each_group(sizes, [&](const Group& g) {
        blas_.multiply({s, sizes.head_dim, s, 1, 0, g.count}, scores_of(sizes, probabilities, g),
                       of_keys(sizes, values, g), of_queries(sizes, plain(sizes, out), g));
    });
}

void CudaOperations::probability_gradient(const AttentionSizes& sizes, View grad_out,
                                          const HeadsView& values, View grad_probabilities) {
    const std::int64_t s = sizes.sequence;
    for_each_group(sizes, [&](const Group& g) {
        blas_.multiply(
            {s, s, sizes.head_dim, 1, 0, g.count}, of_queries(sizes, plain(sizes, grad_out), g),
            transposed(of_keys(sizes, values, g)), scores_of(sizes, grad_probabilities, g));
    });
}

/// Of keys or values, from [query, key] matrices and [query, head_dim] ones.
void CudaOperations::key_side_gradient(const AttentionSizes& sizes, View matrices,
                                       const HeadsView& rows_of_queries,
                                       const HeadsView& gradient) {
    const std::int64_t s = sizes.sequence;
    for_each_group(sizes, [&](const Group& g) {
        const Scratch sums{stream_, DType::fp32, g.kv_count() * s * sizes.head_dim};
        fill(0, sums.view());
        add_to_keys(blas_, sizes, g, {0, s, s}, scores_of(sizes, matrices, g),
                    of_queries(sizes, rows_of_queries, g), sums.view());
        scatter_heads(stream_, sizes, g, sums.view(), gradient);
    });
}

void CudaOperations::value_gradient(const AttentionSizes& sizes, View probabilities, View grad_out,
                                    const HeadsView& grad_values) {
    key_side_gradient(sizes, probabilities, plain(sizes, grad_out), grad_values);
}

void CudaOperations::masked_softmax_gradient(const AttentionSizes& sizes, View probabilities,
                                             View grad) {
    const std::int64_t s = sizes.sequence;
    rows(stream_, sizes.batch * sizes.heads * s,
         [=, scale = scale_of(sizes), p = typed(probabilities), g = typed(grad)] __device__(
             const BlockTeam& team, std::int64_t r) {
             const double mean = team.sum(s, [&](std::int64_t c) {
                 return static_cast<double>(load(p, r * s + c)) *
                        static_cast<double>(load(g, r * s + c));
             });
             bodies::softmax_gradient(team, r * s, s, scale, mean, p, g);
         });
}

void CudaOperations::query_gradient(const AttentionSizes& sizes, View grad_scores,
                                    const HeadsView& keys, const HeadsView& grad_queries) {
    const std::int64_t s = sizes.sequence;
    for_each_group(sizes, [&](const Group& g) {
        blas_.multiply({s, sizes.head_dim, s, 1, 0, g.count}, scores_of(sizes, grad_scores, g),
                       of_keys(sizes, keys, g), of_queries(sizes, grad_queries, g));
    });
}

void CudaOperations::key_gradient(const AttentionSizes& sizes, View grad_scores,
                                  const HeadsView& queries, const HeadsView& grad_keys) {
    key_side_gradient(sizes, grad_scores, queries, grad_keys);
}

}  // namespace prismllm::device::cuda
