// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "attention.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bodies/rows.hpp"
#include "matrix.hpp"

namespace prismllm::device {
namespace {

/// Where the matrices of one head of one sample lie. Two tokens of a sample are `batch` rows
/// apart.
class HeadIndex {
public:
    HeadIndex(const AttentionSizes& sizes, std::int64_t number)
        : sizes_{sizes}, sample_{number / sizes.heads}, head_{number % sizes.heads} {}

    [[nodiscard]] std::int64_t kv_head() const { return head_ / (sizes_.heads / sizes_.kv_heads); }
    [[nodiscard]] Matrix query(const Heads& h) const { return at(h, head_); }
    [[nodiscard]] Matrix key(const Heads& h) const { return at(h, kv_head()); }
    template <class T>
    [[nodiscard]] T* out(T* data) const {
        return data + (sample_ * sizes_.heads + head_) * sizes_.head_dim;
    }
    [[nodiscard]] std::int64_t out_stride() const {
        return sizes_.batch * sizes_.heads * sizes_.head_dim;
    }
    [[nodiscard]] float* query(const MutableHeads& h) const { return at(h, head_); }
    [[nodiscard]] float* key(const MutableHeads& h) const { return at(h, kv_head()); }
    [[nodiscard]] std::int64_t stride(const MutableHeads& h) const {
        return sizes_.batch * h.row_stride;
    }
    /// Whether it is the first query head that reads its key head.
    [[nodiscard]] bool first_of_group() const {
        return head_ % (sizes_.heads / sizes_.kv_heads) == 0;
    }
    /// Of [position, sample, head]
    [[nodiscard]] std::size_t token_head(std::int64_t position) const {
        return static_cast<std::size_t>((position * sizes_.batch + sample_) * sizes_.heads + head_);
    }

private:
    [[nodiscard]] Matrix at(const Heads& h, std::int64_t head) const {
        return {h.data + sample_ * h.row_stride + head * sizes_.head_dim,
                sizes_.batch * h.row_stride};
    }
    [[nodiscard]] float* at(const MutableHeads& h, std::int64_t head) const {
        return h.data + sample_ * h.row_stride + head * sizes_.head_dim;
    }

    const AttentionSizes& sizes_;
    std::int64_t sample_, head_;
};

Matrix transposed(Matrix m) {
    m.transposed = !m.transposed;
    return m;
}

float scale_of(const AttentionSizes& sizes) {
    return 1.0F / std::sqrt(static_cast<float>(sizes.head_dim));
}

std::int64_t square(const AttentionSizes& sizes) {
    return sizes.sequence * sizes.sequence;
}

double product_of(const float* a, const float* b, std::int64_t length) {
    double sum = 0;
    for (std::int64_t i = 0; i < length; ++i) {
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    return sum;
}

/// body(head, first element of its score matrix). One after the other: BLAS need not bear calls
/// from several threads, and the query heads of a group add to the same key head.
template <class Body>
void for_each_head(const AttentionSizes& sizes, const Body& body) {
    for (std::int64_t number = 0; number < sizes.batch * sizes.heads; ++number) {
        body(HeadIndex{sizes, number}, number * square(sizes));
    }
}

}  // namespace

void attention_forward(const AttentionSizes& sizes, const QueriesKeysValues& in, Out out,
                       Out log_sum_exp) {
    const std::int64_t s = sizes.sequence;
    for_each_head(sizes, [&](const HeadIndex& head, std::int64_t) {
        std::vector<float> scores(static_cast<std::size_t>(square(sizes)));
        multiply(s, s, sizes.head_dim, 1, head.query(in.queries), transposed(head.key(in.keys)), 0,
                 scores.data(), s);
        for (std::int64_t r = 0; r < s; ++r) {
            log_sum_exp[head.token_head(r)] = bodies::softmax(
                SerialTeam{}, r * s, r + 1, s, scale_of(sizes), scores.data(), scores.data());
        }
        multiply(s, sizes.head_dim, s, 1, {scores.data(), s}, head.key(in.values), 0,
                 head.out(out.data()), head.out_stride());
    });
}

void attention_backward(const AttentionSizes& sizes, const QueriesKeysValues& in, In out,
                        In log_sum_exp, In grad_out, const QueriesKeysValuesGradient& gradient) {
    const std::int64_t s = sizes.sequence;
    const std::int64_t d = sizes.head_dim;
    for_each_head(sizes, [&](const HeadIndex& head, std::int64_t) {
        std::vector<float> p(static_cast<std::size_t>(square(sizes)));
        multiply(s, s, d, 1, head.query(in.queries), transposed(head.key(in.keys)), 0, p.data(), s);
        for (std::int64_t r = 0; r < s; ++r) {
            float* row = p.data() + r * s;
            const float lse = log_sum_exp[head.token_head(r)];
            for (std::int64_t c = 0; c <= r; ++c) {
                row[c] = std::exp(row[c] * scale_of(sizes) - lse);
            }
            std::fill(row + r + 1, row + s, 0.0F);
        }
        const Matrix grad{head.out(grad_out.data()), head.out_stride()};
        const float keep = head.first_of_group() ? 0.0F : 1.0F;
        multiply(s, d, s, 1, {p.data(), s, true}, grad, keep, head.key(gradient.values),
                 head.stride(gradient.values));
        std::vector<float> ds(p.size());
        multiply(s, s, d, 1, grad, transposed(head.key(in.values)), 0, ds.data(), s);
        for (std::int64_t r = 0; r < s; ++r) {
            // The mean over a row is also the product of the row's output and its gradient.
            const std::int64_t at = r * head.out_stride();
            const double mean = product_of(head.out(out.data()) + at, grad.data + at, d);
            bodies::softmax_gradient(SerialTeam{}, r * s, s, scale_of(sizes), mean, p.data(),
                                     ds.data());
        }
        multiply(s, d, s, 1, {ds.data(), s}, head.key(in.keys), 0, head.query(gradient.queries),
                 head.stride(gradient.queries));
        multiply(s, d, s, 1, {ds.data(), s, true}, head.query(in.queries), keep,
                 head.key(gradient.keys), head.stride(gradient.keys));
    });
}

void attention_scores(const AttentionSizes& sizes, const QueriesKeysValues& in, Out scores) {
    const std::int64_t s = sizes.sequence;
    for_each_head(sizes, [&](const HeadIndex& head, std::int64_t at) {
        multiply(s, s, sizes.head_dim, 1, head.query(in.queries), transposed(head.key(in.keys)), 0,
                 scores.data() + at, s);
    });
}

void masked_softmax(const AttentionSizes& sizes, Out scores) {
    const std::int64_t s = sizes.sequence;
    for_each(sizes.batch * sizes.heads * s, [&](std::int64_t r) {
        (void)bodies::softmax(SerialTeam{}, r * s, r % s + 1, s, scale_of(sizes), scores.data(),
                              scores.data());
    });
}

void attention_context(const AttentionSizes& sizes, In probabilities, const Heads& values,
                       Out out) {
    const std::int64_t s = sizes.sequence;
    for_each_head(sizes, [&](const HeadIndex& head, std::int64_t at) {
        multiply(s, sizes.head_dim, s, 1, {probabilities.data() + at, s}, head.key(values), 0,
                 head.out(out.data()), head.out_stride());
    });
}

void probability_gradient(const AttentionSizes& sizes, In grad_out, const Heads& values,
                          Out grad_probabilities) {
    const std::int64_t s = sizes.sequence;
    for_each_head(sizes, [&](const HeadIndex& head, std::int64_t at) {
        multiply(s, s, sizes.head_dim, 1, {head.out(grad_out.data()), head.out_stride()},
                 transposed(head.key(values)), 0, grad_probabilities.data() + at, s);
    });
}

void value_gradient(const AttentionSizes& sizes, In probabilities, In grad_out,
                    const MutableHeads& grad_values) {
    const std::int64_t s = sizes.sequence;
    for_each_head(sizes, [&](const HeadIndex& head, std::int64_t at) {
        multiply(s, sizes.head_dim, s, 1, {probabilities.data() + at, s, true},
                 {head.out(grad_out.data()), head.out_stride()},
                 head.first_of_group() ? 0.0F : 1.0F, head.key(grad_values),
                 head.stride(grad_values));
    });
}

void masked_softmax_gradient(const AttentionSizes& sizes, In probabilities, Out grad) {
    const std::int64_t s = sizes.sequence;
    for_each(sizes.batch * sizes.heads * s, [&](std::int64_t r) {
        const float* p = probabilities.data() + r * s;
        float* g = grad.data() + r * s;
        bodies::softmax_gradient(SerialTeam{}, 0, s, scale_of(sizes), product_of(p, g, s), p, g);
    });
}

void query_gradient(const AttentionSizes& sizes, In grad_scores, const Heads& keys,
                    const MutableHeads& grad_queries) {
    const std::int64_t s = sizes.sequence;
    for_each_head(sizes, [&](const HeadIndex& head, std::int64_t at) {
        multiply(s, sizes.head_dim, s, 1, {grad_scores.data() + at, s}, head.key(keys), 0,
                 head.query(grad_queries), head.stride(grad_queries));
    });
}

void key_gradient(const AttentionSizes& sizes, In grad_scores, const Heads& queries,
                  const MutableHeads& grad_keys) {
    const std::int64_t s = sizes.sequence;
    for_each_head(sizes, [&](const HeadIndex& head, std::int64_t at) {
        multiply(s, sizes.head_dim, s, 1, {grad_scores.data() + at, s, true}, head.query(queries),
                 head.first_of_group() ? 0.0F : 1.0F, head.key(grad_keys), head.stride(grad_keys));
    });
}

}  // namespace prismllm::device
