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
using testing::StartsWith;

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

TEST(DeckHelp, FindsAKeyByItsMegatronFlag) {
    for (const char* name : {"--tensor-model-parallel-size", "tensor-model-parallel-size",
                             "tensor_model_parallel_size"}) {
        const auto found = help(name);
        ASSERT_TRUE(found.has_value()) << name;
        EXPECT_THAT(*found, StartsWith("parallel.tensor_parallel: ")) << name;
    }
    // One of several flags, and one whose meaning differs.
    EXPECT_THAT(help("--fp16").value(), StartsWith("training.precision: "));
    EXPECT_THAT(help("--num-layers-per-virtual-pipeline-stage").value(),
                AllOf(StartsWith("parallel.virtual_pipeline: "),
                      HasSubstr("layers / (pipeline_parallel x n)")));
}

TEST(DeckHelp, FindsKeysByTheirNameInAnySection) {
    const auto one = help("micro_batch_size");
    const auto two = help("seed");

    ASSERT_TRUE(one.has_value() && two.has_value());
    EXPECT_THAT(*one, StartsWith("training.micro_batch_size: "));
    EXPECT_THAT(*two, AllOf(HasSubstr("emulation.seed: "), HasSubstr("native.seed: ")));
}

TEST(DeckHelp, NamesTheKeyOfAMisspelledFlag) {
    const auto unknown = help("--tensor-model-paralel-size");

    ASSERT_FALSE(unknown.has_value());
    EXPECT_THAT(unknown.error().message, HasSubstr("Did you mean parallel.tensor_parallel?"));
    EXPECT_THAT(help("--frobnicate").error().message, HasSubstr("Check the name"));
}

TEST(DeckReference, MarksFlagsButNotTheWordsBesideThem) {
    EXPECT_THAT(reference_markdown(),
                HasSubstr("| `--num-virtual-stages-per-pipeline-rank`; for "
                          "`--num-layers-per-virtual-pipeline-stage` n: layers"));
}

// A deck written with the names of another program is told ours.
TEST(DeckReference, UnknownKeysNamedAsAFlagAreTranslated) {
    const auto read = parse("schema_version = 1\n[training]\nseq_length = 8\n", "d.toml", ".");

    ASSERT_FALSE(read.has_value());
    EXPECT_THAT(read.error().message, HasSubstr("Did you mean training.sequence_length?"));
}

}  // namespace
}  // namespace prismllm::deck
