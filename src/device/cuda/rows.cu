// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What the threads of a block compute together, or sum up over rows.
#include "../bodies/rows.hpp"
#include "cuda_operations.hpp"
#include "grid.cuh"
#include "scratch.hpp"
#include "typed.cuh"

namespace prismllm::device::cuda {
namespace {

/// Of long sums; fixed, so that the order of the terms is.
constexpr std::int64_t parts_of_sum = 512;

const std::int64_t* ids_of(View view) {
    return static_cast<const std::int64_t*>(view.data);
}

}  // namespace

void CudaOperations::norm_forward(const RowShape& in_shape, View in, View scale, View shift,
                                  const RowShape& out_shape, View out) {
    const bool centered = !shift.empty();
    rows(stream_, in_shape.rows,
         [=, x = typed(in), s = typed(scale), b = typed(shift), y = typed(out)] __device__(
             const BlockTeam& team, std::int64_t r) {
             bodies::norm_forward(team, r, in_shape, x, s, b, centered, out_shape, y);
         });
}

void CudaOperations::norm_backward(const RowShape& grad_shape, View grad, const RowShape& in_shape,
                                   View in, View scale, View grad_in, View grad_scale,
                                   View grad_shift) {
    const bool centered = !grad_shift.empty();
    const Scratch all{stream_, in_shape.rows * static_cast<std::int64_t>(sizeof(bodies::Moments))};
    auto* moments = all.as<bodies::Moments>();
    const Typed g = typed(grad);
    const Typed x = typed(in);
    rows(stream_, in_shape.rows, [=] __device__(const BlockTeam& team, std::int64_t r) {
        const bodies::Moments m =
            bodies::moments_of(team, in_shape.columns, centered, x, in_shape.begin(r));
        team.once([&] { moments[r] = m; });
    });
    each(
        stream_, in_shape.columns,
        [=, to_scale = typed(grad_scale), to_shift = typed(grad_shift)] __device__(std::int64_t c) {
            bodies::norm_parameter_gradients(c, grad_shape, g, in_shape, x, moments, centered,
                                             to_scale, to_shift);
        });
    rows(stream_, in_shape.rows,
         [=, s = typed(scale), y = typed(grad_in)] __device__(const BlockTeam& team,
                                                              std::int64_t r) {
             bodies::norm_backward(team, r, grad_shape, g, in_shape, x, s, moments[r], centered, y);
         });
}

void CudaOperations::column_sums(View in, View sums) {
    const std::int64_t columns = sums.elements;
    const std::int64_t rows = in.elements / columns;
    each(stream_, columns, [=, x = typed(in), y = typed(sums)] __device__(std::int64_t c) {
        bodies::column_sum(c, rows, columns, x, y);
    });
}

void CudaOperations::embedding_forward(std::int64_t columns, std::int64_t first, View ids,
                                       View table, View out) {
    const std::int64_t table_rows = table.elements / columns;
    rows(stream_, ids.elements,
         [=, i = ids_of(ids), x = typed(table), y = typed(out)] __device__(const BlockTeam& team,
                                                                           std::int64_t t) {
             bodies::embedding_forward(team, t, columns, first, table_rows, i, x, y);
         });
}

void CudaOperations::embedding_backward(std::int64_t columns, std::int64_t first, View ids,
                                        View grad, View dense) {
    const std::int64_t table_rows = dense.elements / columns;
    const std::int64_t tokens = ids.elements;
    rows(stream_, tokens,
         [=, i = ids_of(ids), x = typed(grad), y = typed(dense)] __device__(const BlockTeam& team,
                                                                            std::int64_t t) {
             bodies::embedding_backward(team, t, tokens, columns, first, table_rows, i, x, y);
         });
}

void CudaOperations::largest_logits(const VocabularyPart& part, View logits, View largest) {
    rows(
        stream_, part.tokens,
        [=, x = typed(logits), y = typed(largest)] __device__(
            const BlockTeam& team, std::int64_t t) { bodies::largest_logit(team, part, t, x, y); });
}

void CudaOperations::exponentials(const VocabularyPart& part, View largest, View labels,
                                  View logits, View predicted, View sums) {
    rows(stream_, part.tokens,
         [=, m = typed(largest), i = ids_of(labels), x = typed(logits), p = typed(predicted),
          s = typed(sums)] __device__(const BlockTeam& team, std::int64_t t) {
             bodies::exponentials(team, part, t, m, i, x, p, s);
         });
}

void CudaOperations::loss_gradient(const VocabularyPart& part, View exponentials, View sums,
                                   View labels, float factor, View grad) {
    rows(stream_, part.tokens,
         [=, x = typed(exponentials), s = typed(sums), i = ids_of(labels),
          y = typed(grad)] __device__(const BlockTeam& team, std::int64_t t) {
             bodies::loss_gradient(team, part, t, x, s, i, factor, y);
         });
}

void CudaOperations::sum_of_squares(std::span<const View> in, View squares) {
    const auto views = static_cast<std::int64_t>(in.size());
    const Scratch all{stream_, views * parts_of_sum * static_cast<std::int64_t>(sizeof(double))};
    auto* partial = all.as<double>();
    for (std::int64_t v = 0; v < views; ++v) {
        const View& view = in[static_cast<std::size_t>(v)];
        const std::int64_t length = (view.elements + parts_of_sum - 1) / parts_of_sum;
        rows(stream_, parts_of_sum,
             [=, elements = view.elements, x = typed(view)] __device__(const BlockTeam& team,
                                                                       std::int64_t part) {
                 const std::int64_t begin = part * length;
                 const std::int64_t left = elements - begin;
                 const double sum = team.sum(left < length ? left : length, [&](std::int64_t i) {
                     const auto value = static_cast<double>(load(x, begin + i));
                     return value * value;
                 });
                 team.once([&] { partial[v * parts_of_sum + part] = sum; });
             });
    }
    rows(stream_, 1, [=, y = typed(squares)] __device__(const BlockTeam& team, std::int64_t) {
        const double sum =
            team.sum(views * parts_of_sum, [&](std::int64_t i) { return partial[i]; });
        team.once([&] { store(y, 0, static_cast<float>(sum)); });
    });
}

void CudaOperations::add_mean(View losses, double* sum) {
    const std::int64_t elements = losses.elements;
    rows(stream_, 1, [=, x = typed(losses)] __device__(const BlockTeam& team, std::int64_t) {
        const double all = team.sum(elements, [&](std::int64_t i) { return load(x, i); });
        team.once([&] { *sum += all / static_cast<double>(elements); });
    });
}

}  // namespace prismllm::device::cuda
