// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Kokkos lives as long as the tests run.
#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

namespace prismllm::device {
namespace {

class KokkosEnvironment final : public testing::Environment {
public:
    void SetUp() override {
        if (!Kokkos::is_initialized()) {
            Kokkos::initialize();
        }
    }
    void TearDown() override { Kokkos::finalize(); }
};

[[maybe_unused]] const testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new KokkosEnvironment);

}  // namespace
}  // namespace prismllm::device
