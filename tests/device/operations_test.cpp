// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Every operation against the host's, on the same numbers, in every precision that tensors have.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/base/random.hpp"

#include "device_under_test.hpp"
#include "host_device.hpp"

namespace prismllm::device {
namespace {

using graph::DType;
using Values = std::vector<float>;

/// A tensor as it is before an operation.
struct Operand {
    Values values;
    DType dtype = DType::fp32;
    std::vector<std::int64_t> ids;  ///< instead of values
};

/// Numbers about 0, the same on every call.
Values numbers(std::int64_t count, std::uint64_t seed, float size = 1) {
    Values values;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto bits = random_word(seed, static_cast<std::uint64_t>(i)) >> 40U;
        values.push_back(size * (static_cast<float>(bits) / 8388608.0F - 1));
    }
    return values;
}

/// Positive ones.
Values positive(std::int64_t count, std::uint64_t seed) {
    Values values = numbers(count, seed);
    std::ranges::for_each(values, [](float& v) { v = std::fabs(v) + 0.1F; });
    return values;
}

using Body = std::function<void(Operations&, const std::vector<View>&)>;

class Operation : public testing::TestWithParam<DType> {
protected:
    /// Tensors of activations and weights have it.
    [[nodiscard]] static DType dtype() { return GetParam(); }
    [[nodiscard]] static Operand tensor(Values values) { return {std::move(values), dtype(), {}}; }
    [[nodiscard]] static Operand tensor(std::int64_t count, std::uint64_t seed, float size = 1) {
        return tensor(numbers(count, seed, size));
    }
    [[nodiscard]] static Operand room(std::int64_t count) {
        return tensor(Values(static_cast<std::size_t>(count)));
    }
    [[nodiscard]] static Operand fp32(Values values) { return {std::move(values), {}, {}}; }
    [[nodiscard]] static Operand ids(std::vector<std::int64_t> ids) {
        return {{}, DType::int64, std::move(ids)};
    }

    /// What the executor does behind each kernel, for a tensor of dtype().
    static void stored(Operations& on, View view) { on.round_to(dtype(), view); }

    /// The operation gives the host's numbers in all its operands.
    static void expect_same(const std::vector<Operand>& operands, const Body& body) {
        const auto host = make_host_device();
        const std::vector<Values> expected = run(*host, operands, body);
        const std::vector<Values> actual = run(*device_under_test(), operands, body);
        for (std::size_t o = 0; o < operands.size(); ++o) {
            expect_near(o, operands[o].dtype, expected[o], actual[o]);
        }
    }

private:
    static std::vector<Values> run(Device& device, const std::vector<Operand>& operands,
                                   const Body& body) {
        std::vector<View> views;
        device.use(program::Stream::compute);
        for (const Operand& operand : operands) {
            const bool floats = operand.ids.empty();
            const auto count =
                static_cast<std::int64_t>(floats ? operand.values.size() : operand.ids.size());
            const DType stored = device.stored_as(operand.dtype);
            void* data = device.allocate(std::max<std::int64_t>(count, 1) * size_of(stored),
                                         Device::Start::undefined);
            views.push_back({data, stored, count});
            if (floats) {
                upload(device, operand.values, views.back());
                device.operations().round_to(operand.dtype, views.back());
            } else {
                device.copy_in(operand.ids.data(), data, count * 8);
            }
        }
        body(device.operations(), views);
        device.finish();
        std::vector<Values> results;
        for (std::size_t o = 0; o < operands.size(); ++o) {
            results.emplace_back(operands[o].values.size());
            device.operations().round_to(operands[o].dtype, views[o]);
            if (!results.back().empty()) {
                download(device, views[o], results.back());
            }
            device.release(views[o].data);
        }
        return results;
    }

    /// Both sides sum in other orders, and what they round may lie on either side of a step.
    static void expect_near(std::size_t operand, DType dtype, const Values& expected,
                            const Values& actual) {
        const float relative = dtype == DType::bf16   ? 1.0F / 64
                               : dtype == DType::fp16 ? 1.0F / 512
                                                      : 2e-5F;
        double squares = 0;
        for (const float value : expected) {
            squares += static_cast<double>(value) * static_cast<double>(value);
        }
        const auto usual = static_cast<float>(
            std::sqrt(squares / static_cast<double>(std::max<std::size_t>(expected.size(), 1))));
        int shown = 0;
        for (std::size_t i = 0; i < expected.size() && shown < 5; ++i) {
            const float allowed = relative * (std::fabs(expected[i]) + usual);
            if (!(std::fabs(actual[i] - expected[i]) <= allowed)) {
                ADD_FAILURE() << "operand " << operand << ", element " << i << ": " << actual[i]
                              << " instead of " << expected[i];
                ++shown;
            }
        }
    }
};

constexpr std::int64_t tokens = 37, columns = 144, inner = 80;

TEST_P(Operation, Linear) {
    expect_same({tensor(tokens * inner, 1), tensor(columns * inner, 2), tensor(columns, 3),
                 room(tokens * columns)},
                [](Operations& on, const std::vector<View>& v) {
                    on.linear_forward({tokens, columns, inner}, v[0], v[1], v[2], v[3]);
                });
    expect_same(
        {tensor(tokens * inner, 1), tensor(columns * inner, 2), fp32(Values(tokens * columns))},
        [](Operations& on, const std::vector<View>& v) {
            on.linear_forward({tokens, columns, inner}, v[0], v[1], {}, v[2]);
        });
}

TEST_P(Operation, LinearGradients) {
    expect_same({tensor(tokens * columns, 1), tensor(columns * inner, 2), room(tokens * inner)},
                [](Operations& on, const std::vector<View>& v) {
                    on.linear_input_gradient({tokens, columns, inner}, v[0], v[1], v[2]);
                });
    expect_same(
        {tensor(tokens * columns, 1), tensor(tokens * inner, 2), fp32(numbers(columns * inner, 3))},
        [](Operations& on, const std::vector<View>& v) {
            on.linear_weight_gradient({tokens, columns, inner}, v[0], v[1], v[2]);
        });
    // An fp32 gradient of logits against weights of 16 bits.
    expect_same(
        {fp32(numbers(tokens * columns, 1)), tensor(columns * inner, 2), room(tokens * inner)},
        [](Operations& on, const std::vector<View>& v) {
            on.linear_input_gradient({tokens, columns, inner}, v[0], v[1], v[2]);
        });
}

TEST_P(Operation, ColumnSums) {
    expect_same({tensor(tokens * columns, 1), room(columns)},
                [](Operations& on, const std::vector<View>& v) { on.column_sums(v[0], v[1]); });
}

/// Attention with a key head for each query head, or for several.
std::vector<AttentionSizes> attentions() {
    return {{2, 24, 4, 4, 16}, {2, 24, 4, 2, 16}, {1, 33, 6, 1, 8}};
}
std::int64_t qkv_columns(const AttentionSizes& s) {
    return (s.heads + 2 * s.kv_heads) * s.head_dim;
}
std::int64_t rows_of(const AttentionSizes& s) {
    return s.batch * s.sequence;
}
QueriesKeysValuesView parts_of(const AttentionSizes& s, View qkv) {
    const std::int64_t keys = s.heads * s.head_dim;
    const std::int64_t values = keys + s.kv_heads * s.head_dim;
    const std::int64_t stride = qkv_columns(s);
    return {{qkv, stride}, {qkv.behind(keys), stride}, {qkv.behind(values), stride}};
}

TEST_P(Operation, FusedAttention) {
    for (const AttentionSizes& s : attentions()) {
        const std::int64_t out = rows_of(s) * s.heads * s.head_dim;
        expect_same({tensor(rows_of(s) * qkv_columns(s), 1), room(out),
                     fp32(Values(static_cast<std::size_t>(rows_of(s) * s.heads))), tensor(out, 2),
                     room(rows_of(s) * qkv_columns(s))},
                    [&](Operations& on, const std::vector<View>& v) {
                        on.attention_forward(s, parts_of(s, v[0]), v[1], v[2]);
                        stored(on, v[1]);
                        on.attention_backward(s, parts_of(s, v[0]), v[1], v[2], v[3],
                                              parts_of(s, v[4]));
                    });
    }
}

TEST_P(Operation, UnfusedAttention) {
    for (const AttentionSizes& s : attentions()) {
        const std::int64_t scores = s.batch * s.heads * s.sequence * s.sequence;
        const std::int64_t out = rows_of(s) * s.heads * s.head_dim;
        expect_same({tensor(rows_of(s) * qkv_columns(s), 1), room(scores), room(out),
                     tensor(out, 2), room(scores), room(rows_of(s) * qkv_columns(s))},
                    [&](Operations& on, const std::vector<View>& v) {
                        const QueriesKeysValuesView in = parts_of(s, v[0]);
                        const QueriesKeysValuesView gradient = parts_of(s, v[5]);
                        on.attention_scores(s, in, v[1]);
                        stored(on, v[1]);
                        on.masked_softmax(s, v[1]);
                        stored(on, v[1]);
                        on.attention_context(s, v[1], in.values, v[2]);
                        on.probability_gradient(s, v[3], in.values, v[4]);
                        stored(on, v[4]);
                        on.value_gradient(s, v[1], v[3], gradient.values);
                        on.masked_softmax_gradient(s, v[1], v[4]);
                        stored(on, v[4]);
                        on.query_gradient(s, v[4], in.keys, gradient.queries);
                        on.key_gradient(s, v[4], in.queries, gradient.keys);
                    });
    }
}

TEST_P(Operation, Norms) {
    const RowShape rows = plain_rows(tokens, columns);
    for (const bool shifted : {false, true}) {
        const auto shift = [&](View v) { return shifted ? v : View{}; };
        expect_same({tensor(tokens * columns, 1), tensor(columns, 2), tensor(columns, 3),
                     room(tokens * columns)},
                    [&](Operations& on, const std::vector<View>& v) {
                        on.norm_forward(rows, v[0], v[1], shift(v[2]), rows, v[3]);
                    });
        expect_same({tensor(tokens * columns, 1), tensor(tokens * columns, 2), tensor(columns, 3),
                     room(tokens * columns), room(columns), room(columns)},
                    [&](Operations& on, const std::vector<View>& v) {
                        on.norm_backward(rows, v[0], rows, v[1], v[2], v[3], v[4], shift(v[5]));
                    });
    }
    // Three heads of 16 in front of other columns.
    const RowShape heads{tokens * 3, 16, 3, columns};
    expect_same({tensor(tokens * columns, 1), tensor(16, 2), room(tokens * columns)},
                [&](Operations& on, const std::vector<View>& v) {
                    on.norm_forward(heads, v[0], v[1], {}, heads, v[2]);
                });
}

TEST_P(Operation, Activations) {
    for (const bool gated : {false, true}) {
        const ActivationShape shape{tokens, columns, gated};
        const std::int64_t wide = tokens * columns * (gated ? 2 : 1);
        expect_same(
            {tensor(wide, 1, 4), room(tokens * columns), tensor(tokens * columns, 2), room(wide)},
            [&](Operations& on, const std::vector<View>& v) {
                on.activation_forward(shape, v[0], v[1]);
                on.activation_backward(shape, v[0], v[2], v[3]);
            });
    }
}

TEST_P(Operation, Dropout) {
    const DropoutRule rule{0.3F, 17, 5, 2, columns, 3};
    expect_same({tensor(tokens * columns, 1),
                 room(tokens * columns),
                 {Values(tokens * columns), DType::uint8, {}},
                 room(tokens * columns)},
                [&](Operations& on, const std::vector<View>& v) {
                    on.dropout_forward(rule, v[0], v[1], v[2]);
                    stored(on, v[1]);
                    on.dropout_backward(rule, v[1], v[2], v[3]);
                });
    expect_same({tensor(tokens * columns, 1),
                 tensor(tokens * columns, 2),
                 tensor(columns, 3),
                 room(tokens * columns),
                 {Values(tokens * columns), DType::uint8, {}},
                 room(tokens * columns)},
                [&](Operations& on, const std::vector<View>& v) {
                    on.residual_add(rule, v[0], v[1], v[2], v[3], v[4]);
                    on.residual_add({}, v[0], v[1], {}, v[5], {});
                });
}

TEST_P(Operation, Rope) {
    for (const bool backward : {false, true}) {
        const RopeShape shape{tokens, 2, 3, 16, columns, 10000, backward};
        expect_same({tensor(tokens * columns, 1)},
                    [&](Operations& on, const std::vector<View>& v) { on.rope(shape, v[0]); });
    }
}

TEST_P(Operation, Elements) {
    expect_same({tensor(1000, 1), tensor(1000, 2), room(1000), room(1000), fp32(Values(1000))},
                [](Operations& on, const std::vector<View>& v) {
                    on.add(v[0], v[1], v[2]);
                    on.fill(0.5F, v[3]);
                    on.scale(0.25F, v[0]);
                    on.copy(v[1], v[4]);
                });
}

/// Some ids repeat, some belong to other ranks.
std::vector<std::int64_t> some_ids(std::int64_t count, std::int64_t range) {
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < count; ++i) {
        ids.push_back((i * i + 3) % range);
    }
    return ids;
}

TEST_P(Operation, Embedding) {
    constexpr std::int64_t table = 20;
    expect_same({ids(some_ids(tokens, 45)), tensor(table * columns, 1), room(tokens * columns),
                 tensor(tokens * columns, 2), tensor(table * columns, 3)},
                [](Operations& on, const std::vector<View>& v) {
                    on.embedding_forward(columns, 12, v[0], v[1], v[2]);
                    on.embedding_backward(columns, 12, v[0], v[3], v[4]);
                });
}

TEST_P(Operation, Loss) {
    const VocabularyPart part{tokens, columns, 10, columns - 7};
    expect_same(
        {tensor(tokens * columns, 1, 5), fp32(Values(tokens)), ids(some_ids(tokens, 200)),
         fp32(Values(tokens)), fp32(Values(tokens)), fp32(Values(tokens)), room(tokens * columns)},
        [&](Operations& on, const std::vector<View>& v) {
            on.largest_logits(part, v[0], v[1]);
            on.exponentials(part, v[1], v[2], v[0], v[3], v[4]);
            stored(on, v[0]);
            on.token_losses(v[4], v[3], v[5]);
            on.loss_gradient(part, v[0], v[4], v[2], 0.01F, v[6]);
        });
}

TEST_P(Operation, Optimizer) {
    AdamRule rule;
    rule.weight_decay = 0.1F;
    rule.step = 3;
    expect_same({tensor(5000, 1), fp32(numbers(5000, 2)), fp32(numbers(5000, 3, 0.1F)),
                 fp32(positive(5000, 4)), fp32({0}), fp32({0})},
                [&](Operations& on, const std::vector<View>& v) {
                    const std::vector<View> parts{v[0], v[1]};
                    on.sum_of_squares(parts, v[4]);
                    on.unscale(0.5F, v[0], v[5]);
                    stored(on, v[0]);
                    on.adam(rule, v[0], v[1], v[2], v[3]);
                });
    Values infinite = numbers(3000, 1);
    infinite[2999] = 60000;
    expect_same({tensor(infinite), fp32({0})}, [](Operations& on, const std::vector<View>& v) {
        on.unscale(3e38F, v[0], v[1]);
        on.fill(0, v[0]);
    });
}

TEST_P(Operation, MeanOfLosses) {
    double sums[2] = {};
    for (const bool on_host : {true, false}) {
        const auto device = on_host ? make_host_device() : device_under_test();
        auto* sum = static_cast<double*>(device->allocate(8, Device::Start::zeros));
        void* data = device->allocate(1000 * 4, Device::Start::undefined);
        const View losses{data, DType::fp32, 1000};
        upload(*device, numbers(1000, 1), losses);
        device->operations().add_mean(losses, sum);
        device->operations().add_mean(losses, sum);
        device->copy_out(sum, &sums[on_host ? 0 : 1], 8);
        device->release(data);
        device->release(sum);
    }
    EXPECT_NEAR(sums[0], sums[1], 1e-12);
    EXPECT_NE(sums[0], 0);
}

std::vector<DType> dtypes() {
    return {DType::fp32, DType::bf16, DType::fp16};
}

INSTANTIATE_TEST_SUITE_P(In, Operation, testing::ValuesIn(dtypes()),
                         [](const auto& of) { return std::string{name_of(of.param)}; });

}  // namespace
}  // namespace prismllm::device
