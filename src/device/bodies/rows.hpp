// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// One row, or one column, of what ../norm.hpp, ../vocabulary.hpp and the softmax of
/// ../attention.hpp state.
#pragma once

#include <limits>
#include <type_traits>

#include "../shapes.hpp"
#include "portable.hpp"

namespace prismllm::device::bodies {

struct Moments {
    float mean = 0, inverse = 1;  ///< inverse: 1 / sqrt(variance + epsilon)
};

/// @param begin first element of the row
/// @param centered whether the mean is taken off (LayerNorm)
template <class Team, class In>
PRISMLLM_PORTABLE Moments moments_of(const Team& team, std::int64_t columns, bool centered, In in,
                                     std::int64_t begin) {
    const double mean =
        centered ? team.sum(columns, [&](std::int64_t c) { return load(in, begin + c); }) /
                       static_cast<double>(columns)
                 : 0;
    const double squares = team.sum(columns, [&](std::int64_t c) {
        const double away = static_cast<double>(load(in, begin + c)) - mean;
        return away * away;
    });
    const double variance = squares / static_cast<double>(columns);
    return {static_cast<float>(mean),
            static_cast<float>(1 / std::sqrt(variance + static_cast<double>(norm_epsilon)))};
}

/// @param centered whether it is a LayerNorm, with a shift
template <class Team, class In, class Scale, class Shift, class Out>
PRISMLLM_PORTABLE void norm_forward(const Team& team, std::int64_t r, const RowShape& in_shape,
                                    In in, Scale scale, Shift shift, bool centered,
                                    const RowShape& out_shape, Out out) {
    const std::int64_t from = in_shape.begin(r);
    const std::int64_t to = out_shape.begin(r);
    const Moments m = moments_of(team, in_shape.columns, centered, in, from);
    team.each(in_shape.columns, [&](std::int64_t c) {
        store(out, to + c,
              (load(in, from + c) - m.mean) * m.inverse * load(scale, c) +
                  (centered ? load(shift, c) : 0.0F));
    });
}

/// Gradient of the input. `grad` and `grad_in` may be the same memory.
template <class Team, class Grad, class In, class Scale, class Out>
PRISMLLM_PORTABLE void norm_backward(const Team& team, std::int64_t r, const RowShape& grad_shape,
                                     Grad grad, const RowShape& in_shape, In in, Scale scale,
                                     const Moments& m, bool centered, Out grad_in) {
    const std::int64_t g = grad_shape.begin(r);
    const std::int64_t x = in_shape.begin(r);
    const std::int64_t columns = in_shape.columns;
    const auto y = [&](std::int64_t c) { return load(grad, g + c) * load(scale, c); };
    const auto n = [&](std::int64_t c) { return (load(in, x + c) - m.mean) * m.inverse; };
    // With y = grad scale and n the normed row: inverse (y - mean(y) - n mean(y n)).
    const double mean_y = centered ? team.sum(columns, y) / static_cast<double>(columns) : 0;
    const double mean_yn = team.sum(columns, [&](std::int64_t c) {
        return static_cast<double>(y(c)) * static_cast<double>(n(c));
    }) / static_cast<double>(columns);
    team.each(columns, [&](std::int64_t c) {
        store(grad_in, g + c,
              m.inverse * (y(c) - static_cast<float>(mean_y) - n(c) * static_cast<float>(mean_yn)));
    });
}

/// Gradients of scale and shift at column c.
/// @param moments [row]
template <class Grad, class In, class Scale, class Shift>
PRISMLLM_PORTABLE void norm_parameter_gradients(std::int64_t c, const RowShape& grad_shape,
                                                Grad grad, const RowShape& in_shape, In in,
                                                const Moments* moments, bool centered,
                                                Scale grad_scale, Shift grad_shift) {
    double to_scale = 0;
    double to_shift = 0;
    for (std::int64_t r = 0; r < in_shape.rows; ++r) {
        const auto g = static_cast<double>(load(grad, grad_shape.begin(r) + c));
        const float x = load(in, in_shape.begin(r) + c);
        to_scale += g * static_cast<double>((x - moments[r].mean) * moments[r].inverse);
        to_shift += g;
    }
    store(grad_scale, c, static_cast<float>(to_scale));
    if (centered) {
        store(grad_shift, c, static_cast<float>(to_shift));
    }
}

template <class In, class Out>
PRISMLLM_PORTABLE void column_sum(std::int64_t c, std::int64_t rows, std::int64_t columns, In in,
                                  Out sums) {
    double sum = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        sum += static_cast<double>(load(in, r * columns + c));
    }
    store(sums, c, static_cast<float>(sum));
}

/// Softmax of the first `count` of the `length` elements behind `begin`; the others become 0.
/// @return log of the sum
template <class Team, class In, class Out>
PRISMLLM_PORTABLE float softmax(const Team& team, std::int64_t begin, std::int64_t count,
                                std::int64_t length, float scale, In in, Out out) {
    const float largest =
        team.largest(count, load(in, begin), [&](std::int64_t c) { return load(in, begin + c); });
    const auto power = [&](std::int64_t c) {
        return std::exp((load(in, begin + c) - largest) * scale);
    };
    // What is stored in 16 bits must be rounded once: it is computed again.
    constexpr bool keeps_it = std::is_same_v<Out, float*>;
    const auto sum = static_cast<float>(team.sum(count, [&](std::int64_t c) {
        const float value = power(c);
        if constexpr (keeps_it) {
            store(out, begin + c, value);
        }
        return value;
    }));
    team.each(length, [&](std::int64_t c) {
        if constexpr (keeps_it) {
            store(out, begin + c, c < count ? load(out, begin + c) / sum : 0.0F);
        } else {
            store(out, begin + c, c < count ? power(c) / sum : 0.0F);
        }
    });
    return largest * scale + std::log(sum);
}

/// In place of `grad`: probability (grad - mean), times the scale.
template <class Team, class In, class Out>
PRISMLLM_PORTABLE void softmax_gradient(const Team& team, std::int64_t begin, std::int64_t length,
                                        float scale, double mean, In probability, Out grad) {
    team.each(length, [&](std::int64_t c) {
        store(grad, begin + c,
              load(probability, begin + c) * (load(grad, begin + c) - static_cast<float>(mean)) *
                  scale);
    });
}

/// Column of a label in the part; -1 where another rank has it.
PRISMLLM_PORTABLE inline std::int64_t column_of(const VocabularyPart& part, std::int64_t label) {
    const std::int64_t column = label - part.first;
    return column >= 0 && column < part.used ? column : -1;
}

template <class Team, class In, class Out>
PRISMLLM_PORTABLE void largest_logit(const Team& team, const VocabularyPart& part, std::int64_t t,
                                     In logits, Out largest) {
    const float most =
        team.largest(part.used, std::numeric_limits<float>::lowest(),
                     [&](std::int64_t c) { return load(logits, t * part.columns + c); });
    team.once([&] { store(largest, t, most); });
}

template <class Team, class In, class Out, class Predicted, class Sums>
PRISMLLM_PORTABLE void exponentials(const Team& team, const VocabularyPart& part, std::int64_t t,
                                    In largest, const std::int64_t* labels, Out logits,
                                    Predicted predicted, Sums sums) {
    const std::int64_t begin = t * part.columns;
    const float most = load(largest, t);
    const std::int64_t label = column_of(part, labels[t]);
    const float of_label = label >= 0 ? load(logits, begin + label) - most : 0.0F;
    team.once([&] { store(predicted, t, of_label); });
    team.gather();  // all have read it before it is overwritten
    const double sum = team.sum(part.used, [&](std::int64_t c) {
        const float value = std::exp(load(logits, begin + c) - most);
        store(logits, begin + c, value);
        return value;
    });
    team.each(part.columns - part.used,
              [&](std::int64_t c) { store(logits, begin + part.used + c, 0.0F); });
    team.once([&] { store(sums, t, static_cast<float>(sum)); });
}

template <class In, class Predicted, class Out>
PRISMLLM_PORTABLE void token_loss(std::int64_t t, In sums, Predicted predicted, Out losses) {
    store(losses, t, std::log(load(sums, t)) - load(predicted, t));
}

template <class Team, class In, class Sums, class Out>
PRISMLLM_PORTABLE void loss_gradient(const Team& team, const VocabularyPart& part, std::int64_t t,
                                     In exponentials, Sums sums, const std::int64_t* labels,
                                     float factor, Out grad) {
    const std::int64_t begin = t * part.columns;
    const float sum = load(sums, t);
    const std::int64_t label = column_of(part, labels[t]);
    team.each(part.columns, [&](std::int64_t c) {
        const float share = load(exponentials, begin + c) / sum * factor;
        store(grad, begin + c, c == label ? share - factor : share);
    });
}

/// @param rows of the table part, which begins with row `first`
template <class Team, class Table, class Out>
PRISMLLM_PORTABLE void embedding_forward(const Team& team, std::int64_t t, std::int64_t columns,
                                         std::int64_t first, std::int64_t rows,
                                         const std::int64_t* ids, Table table, Out out) {
    const std::int64_t row = ids[t] - first;
    const bool here = row >= 0 && row < rows;
    team.each(columns, [&](std::int64_t c) {
        store(out, t * columns + c, here ? load(table, row * columns + c) : 0.0F);
    });
}

/// Adds the gradients of all tokens with the id of token t, if it is the first of them, so that
/// each element of `dense` is rounded once.
template <class Team, class Grad, class Out>
PRISMLLM_PORTABLE void embedding_backward(const Team& team, std::int64_t t, std::int64_t tokens,
                                          std::int64_t columns, std::int64_t first,
                                          std::int64_t rows, const std::int64_t* ids, Grad grad,
                                          Out dense) {
    const std::int64_t row = ids[t] - first;
    if (row < 0 || row >= rows) {
        return;
    }
    const double before = team.sum(t, [&](std::int64_t i) { return ids[i] == ids[t] ? 1 : 0; });
    if (before > 0) {
        return;
    }
    team.each(columns, [&](std::int64_t c) {
        float sum = load(dense, row * columns + c);
        for (std::int64_t i = t; i < tokens; ++i) {
            if (ids[i] == ids[t]) {
                sum += load(grad, i * columns + c);
            }
        }
        store(dense, row * columns + c, sum);
    });
}

}  // namespace prismllm::device::bodies
