// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Both ways to compute gradients of attention, into memory that held something else.
#include "attention.hpp"

#include <limits>
#include <string>

#include "finite_differences.hpp"

namespace prismllm::device {
namespace {

constexpr float undefined = std::numeric_limits<float>::quiet_NaN();

/// Rows of queries, keys, values and one more column that nothing may touch.
class Packed {
public:
    explicit Packed(const AttentionSizes& sizes)
        : queries_{sizes.heads * sizes.head_dim}, keys_{sizes.kv_heads * sizes.head_dim} {}

    [[nodiscard]] std::int64_t columns() const { return queries_ + 2 * keys_ + 1; }
    [[nodiscard]] QueriesKeysValues parts(const Values& rows) const {
        return {{rows.data(), columns()},
                {rows.data() + queries_, columns()},
                {rows.data() + queries_ + keys_, columns()}};
    }
    [[nodiscard]] QueriesKeysValuesGradient parts(Values& rows) const {
        return {{rows.data(), columns()},
                {rows.data() + queries_, columns()},
                {rows.data() + queries_ + keys_, columns()}};
    }

private:
    std::int64_t queries_, keys_;
};

struct Sample {
    explicit Sample(const AttentionSizes& s)
        : sizes{s},
          packed{s},
          tokens{static_cast<std::size_t>(s.batch * s.sequence)},
          out_size{tokens * static_cast<std::size_t>(s.heads * s.head_dim)},
          qkv{numbers(tokens * static_cast<std::size_t>(packed.columns()), 1)} {}

    [[nodiscard]] std::size_t token_heads() const {
        return tokens * static_cast<std::size_t>(sizes.heads);
    }
    [[nodiscard]] std::size_t scores() const {
        return token_heads() * static_cast<std::size_t>(sizes.sequence);
    }

    AttentionSizes sizes;
    Packed packed;
    std::size_t tokens, out_size;
    Values qkv;
};

// batch, sequence, heads, kv_heads, head_dim
class AttentionPaths : public testing::TestWithParam<AttentionSizes> {};

TEST_P(AttentionPaths, GiveTheSameGradientsAndOverwriteNothingElse) {
    const Sample sample{GetParam()};
    const QueriesKeysValues in = sample.packed.parts(sample.qkv);
    const Values grad = numbers(sample.out_size, 2);
    Values out(sample.out_size);
    Values lse(sample.token_heads());
    attention_forward(sample.sizes, in, out, lse);
    const auto columns = static_cast<std::size_t>(sample.packed.columns());
    Values fused(sample.qkv.size(), undefined);
    Values separate(sample.qkv.size(), undefined);
    for (std::size_t i = columns - 1; i < fused.size(); i += columns) {
        fused[i] = separate[i] = 77;
    }
    Values p(sample.scores());
    attention_scores(sample.sizes, in, p);
    masked_softmax(sample.sizes, p);
    Values ds(sample.scores(), undefined);

    attention_backward(sample.sizes, in, out, lse, grad, sample.packed.parts(fused));
    const QueriesKeysValuesGradient to = sample.packed.parts(separate);
    value_gradient(sample.sizes, p, grad, to.values);
    probability_gradient(sample.sizes, grad, in.values, ds);
    masked_softmax_gradient(sample.sizes, p, ds);
    // From the right to the left, so that what spills over its columns is not written again.
    key_gradient(sample.sizes, ds, in.queries, to.keys);
    query_gradient(sample.sizes, ds, in.keys, to.queries);

    for (std::size_t i = 0; i < fused.size(); ++i) {
        EXPECT_NEAR(separate[i], fused[i], 2e-6) << "element " << i;
        if (i % columns == columns - 1) {
            EXPECT_EQ(fused[i], 77);
            EXPECT_EQ(separate[i], 77);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionPaths,
                         testing::Values(AttentionSizes{2, 5, 4, 2, 2},
                                         AttentionSizes{2, 5, 4, 2, 6},
                                         AttentionSizes{1, 3, 3, 1, 2},
                                         AttentionSizes{2, 4, 2, 2, 2}),
                         [](const auto& param_info) {
                             const AttentionSizes& z = param_info.param;
                             return "batch" + std::to_string(z.batch) + "_sequence" +
                                    std::to_string(z.sequence) + "_heads" +
                                    std::to_string(z.heads) + "on" + std::to_string(z.kv_heads) +
                                    "_dim" + std::to_string(z.head_dim);
                         });

}  // namespace
}  // namespace prismllm::device
