// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/graph/interner.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace prismllm::graph {
namespace {

Kernel gemm(std::int64_t m) {
    Kernel kernel;
    kernel.kind = KernelKind::gemm;
    kernel.shape = {m, 16, 32};
    kernel.flops = 2.0 * 16 * 32 * static_cast<double>(m);
    return kernel;
}

TEST(Interner, GivesEqualKernelsOneNumberAndKeepsTheirOrder) {
    Interner interner;

    EXPECT_EQ(interner.intern(gemm(8)), 0U);
    EXPECT_EQ(interner.intern(gemm(9)), 1U);
    EXPECT_EQ(interner.intern(gemm(8)), 0U);
    ASSERT_EQ(interner.kernels().size(), 2U);
    EXPECT_EQ(interner.kernels()[1], gemm(9));
}

TEST(Interner, TellsKernelsApartByEveryField) {
    Interner interner;
    Kernel other = gemm(8);
    const std::uint32_t first = interner.intern(other);

    other.bytes = 1;
    EXPECT_NE(interner.intern(other), first);
    other = gemm(8);
    other.dtype = DType::fp8;
    EXPECT_NE(interner.intern(other), first);
    other = gemm(8);
    other.shape[6] = 1;
    EXPECT_NE(interner.intern(other), first);
    other = gemm(8);
    other.flops += 1;
    EXPECT_NE(interner.intern(other), first);
}

TEST(Interner, TellsCommunicationsApartByEveryField) {
    Interner interner;
    const Communication base;
    const std::uint32_t first = interner.intern(base);

    for (int field = 0; field < 8; ++field) {
        Communication c = base;
        c.kind = field == 0 ? CollectiveKind::send : c.kind;
        c.dtype = field == 1 ? DType::fp32 : c.dtype;
        c.reduce = field == 2 ? ReduceOp::max : c.reduce;
        c.family = field == 3 ? FamilyIndex{1} : c.family;
        c.elements = field == 4 ? 1 : c.elements;
        c.root = field == 5 ? 0 : c.root;
        c.peer_delta = field == 6 ? -1 : c.peer_delta;
        c.splits = field == 7 ? 0 : c.splits;
        EXPECT_NE(interner.intern(c), first) << field;
        EXPECT_EQ(interner.intern(c), static_cast<std::uint32_t>(field + 1));
    }
    EXPECT_EQ(interner.communications().size(), 9U);
}

TEST(Interner, TellsTensorsApartByNameRoleAndSize) {
    Interner interner;

    const std::uint32_t a = interner.intern_tensor("layer 1 input", TensorRole::activation, 64);

    EXPECT_EQ(interner.intern_tensor("layer 1 input", TensorRole::activation, 64), a);
    EXPECT_NE(interner.intern_tensor("layer 2 input", TensorRole::activation, 64), a);
    EXPECT_NE(interner.intern_tensor("layer 1 input", TensorRole::workspace, 64), a);
    EXPECT_NE(interner.intern_tensor("layer 1 input", TensorRole::activation, 65), a);
    EXPECT_EQ(interner.tensors()[a].name, "layer 1 input");
}

TEST(Interner, KeepsNumbersWhileItGrows) {
    Interner interner;
    for (std::int64_t m = 0; m < 10'000; ++m) {
        ASSERT_EQ(interner.intern(gemm(m)), static_cast<std::uint32_t>(m));
    }
    for (std::int64_t m = 0; m < 10'000; ++m) {
        ASSERT_EQ(interner.intern(gemm(m)), static_cast<std::uint32_t>(m));
    }
}

// Slicing a large job interns about a million times; the aim is 0.2 s on one core, the bound ten
// times that so that a busy machine does not fail it.
TEST(Interner, TakesAMillionInternsInWellUnderTwoSeconds) {
    Interner interner;
    const auto start = std::chrono::steady_clock::now();

    for (std::int64_t i = 0; i < 500'000; ++i) {
        ASSERT_LT(interner.intern(gemm(i % 200)), 200U);
        ASSERT_LT(interner.intern_tensor("attention output", TensorRole::activation, i % 50), 50U);
    }

    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    RecordProperty("seconds", std::to_string(wall.count()));
    EXPECT_LT(wall.count(), 2.0);
}

}  // namespace
}  // namespace prismllm::graph
