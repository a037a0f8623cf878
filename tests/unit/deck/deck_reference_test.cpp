// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/deck/deck.hpp"

namespace prismllm::deck {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(DeckReference, ThePageInTheDocumentationIsFresh) {
    std::ifstream file{PRISMLLM_SOURCE_DIR "/docs/reference/deck.md", std::ios::binary};
    const std::string page{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
    const std::string wanted = reference_markdown();
    const std::string fresh = PRISMLLM_BINARY_DIR "/deck.md";

    if (page != wanted) {
        std::ofstream{fresh, std::ios::binary} << wanted;
    }

    EXPECT_TRUE(page == wanted) << "docs/reference/deck.md is stale; the fresh page is " << fresh;
}

TEST(DeckReference, ShowsTypeDefaultRangeAndFlag) {
    const std::string page = reference_markdown();

    EXPECT_THAT(page, HasSubstr("| `tensor_parallel` | whole number | `1` | 1 ... 16777216 | ranks "
                                "that share each matrix | `--tensor-model-parallel-size` |"));
    EXPECT_THAT(page, HasSubstr("| `memory` | size | *required* |"));
    EXPECT_THAT(page, HasSubstr("## `[device.gemm.fp8]`"));
}

TEST(DeckHelp, ExplainsAKeyASectionAndRefusesTheUnknown) {
    const auto key = help("cluster.nic_bandwidth");
    const auto section = help("device.streaming");
    const auto unknown = help("cluster.nic_bandwith");

    ASSERT_TRUE(key.has_value());
    EXPECT_THAT(*key, AllOf(HasSubstr("cluster.nic_bandwidth: line rate of a NIC"),
                            HasSubstr("type: bandwidth"), HasSubstr("default: required"),
                            HasSubstr("example: \"400 Gbit/s\"")));
    ASSERT_TRUE(section.has_value());
    EXPECT_THAT(*section, AllOf(HasSubstr("device.streaming.rope.eff"),
                                HasSubstr("device.streaming.optimizer.t0")));
    ASSERT_FALSE(unknown.has_value());
    EXPECT_EQ(unknown.error().code, ErrorCode::usage);
    EXPECT_THAT(unknown.error().message, HasSubstr("Did you mean cluster.nic_bandwidth?"));
    EXPECT_FALSE(help("").has_value());
}

}  // namespace
}  // namespace prismllm::deck
