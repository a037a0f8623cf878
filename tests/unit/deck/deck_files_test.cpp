// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample_deck.hpp"

namespace prismllm::deck {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class DeckFiles : public testing::Test {
protected:
    DeckFiles()
        : folder_{fs::path{testing::TempDir()} / ("prismllm_deck_" + std::to_string(getpid()))} {
        fs::create_directories(folder_ / "sub");
    }
    ~DeckFiles() override { fs::remove_all(folder_); }

    fs::path write(const std::string& name, const std::string& text) const {
        std::ofstream{folder_ / name, std::ios::binary} << text;
        return folder_ / name;
    }

    fs::path folder_;
};

TEST_F(DeckFiles, IncludedFilesLoseAndLaterOnesWin) {
    write("sub/a.toml", "[model]\nlayers = 1\nhidden_size = 111\nvocab_size = 1\n");
    write("sub/b.toml", "[model]\nlayers = 2\nhidden_size = 222\n");
    const fs::path deck_path =
        write("deck.toml",
              sample_with("title = \"sample\"\n", "include = [\"sub/a.toml\", \"sub/b.toml\"]\n")
                  .replace(0, 0, ""));

    const auto deck = load(deck_path, {"model.vocab_size=7"});

    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    EXPECT_EQ(deck->job.model.layers, 4);         // the deck itself
    EXPECT_EQ(deck->job.model.hidden_size, 256);  // the deck itself
    EXPECT_EQ(deck->job.model.vocab_size, 7);     // --set
}

TEST_F(DeckFiles, OwnKeysAreThoseOfTheDeckAndTheOverrides) {
    write("sub/a.toml", "[emulation]\nseed = 1\n");
    const auto deck_path =
        write("deck.toml", sample_with("title = \"sample\"\n", "include = [\"sub/a.toml\"]\n"));

    const auto deck = load(deck_path, {"emulation.jitter=0.1"});

    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    EXPECT_THAT(deck->own_keys,
                AllOf(Contains("emulation.jitter"), Contains("emulation.slow_ranks"),
                      Contains("model.layers"), Not(Contains("emulation.seed"))));
}

TEST_F(DeckFiles, AnIncludeIsRelativeToTheFileThatNamesIt) {
    write("sub/model.toml", "include = [\"inner.toml\"]\n[model]\nname = \"outer\"\n");
    write("sub/inner.toml", "[model]\nname = \"inner\"\nnorms_per_layer = 4\n");
    std::string text = sample_with("title = \"sample\"", "include = [\"sub/model.toml\"]");
    text.replace(text.find("name = \"tiny\"\n"), 14, "");

    const auto deck = load(write("deck.toml", text));

    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    EXPECT_EQ(deck->job.model.name, "outer");
    EXPECT_EQ(deck->job.model.norms_per_layer, 4);
    EXPECT_THAT(deck->resolved_toml, ContainsRegex("norms_per_layer = 4 +# .*/sub/inner.toml:3\n"));
}

TEST_F(DeckFiles, TwoFilesMayIncludeAThird) {
    write("sub/a.toml", "include = [\"c.toml\"]\n");
    write("sub/b.toml", "include = [\"c.toml\"]\n");
    write("sub/c.toml", "schema_version = 1\n[model]\nqk_norm = true\n");

    const auto deck =
        load(write("deck.toml", sample_with("title = \"sample\"",
                                            "include = [\"sub/a.toml\", \"sub/b.toml\"]")));

    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    EXPECT_TRUE(deck->job.model.qk_norm);
}

TEST_F(DeckFiles, CirclesOfIncludesAreNamed) {
    write("sub/a.toml", "include = [\"../deck.toml\"]\n");
    const fs::path path =
        write("deck.toml", sample_with("title = \"sample\"", "include = [\"sub/a.toml\"]"));
    const fs::path self =
        write("self.toml", sample_with("title = \"sample\"", "include = [\"./self.toml\"]"));

    EXPECT_THAT(rejection(load(path)), AllOf(HasSubstr("sub/a.toml:1:1: include of"),
                                             HasSubstr("deck.toml goes in a circle")));
    EXPECT_THAT(rejection(load(self)), HasSubstr("self.toml goes in a circle"));
}

TEST_F(DeckFiles, RunawayIncludesEnd) {
    // Each file includes the next one twice: 2^40 readings without a limit.
    for (int i = 0; i < 40; ++i) {
        write(fmt::format("r{}.toml", i),
              fmt::format("include = [\"r{0}.toml\", \"r{0}.toml\"]\n", i + 1));
    }
    write("r40.toml", "");

    EXPECT_THAT(rejection(load(folder_ / "r0.toml")), HasSubstr("goes too far"));
}

TEST_F(DeckFiles, MissingAndBrokenIncludesAreReportedTogether) {
    write("sub/broken.toml", "[model\n");
    write("sub/unknown.toml", "[model]\nlayer = 3\n");
    write("sub/old.toml", "schema_version = 9\n");
    const fs::path path = write(
        "deck.toml", sample_with("title = \"sample\"",
                                 "include = [\"no.toml\", \"sub/broken.toml\", "
                                 "\"sub/unknown.toml\", \"sub\", 3, \"\", \"sub/old.toml\"]"));

    const std::string message = rejection(load(path));

    EXPECT_THAT(message, HasSubstr("7 problems"));
    EXPECT_THAT(message, ContainsRegex("deck.toml:2:1: cannot read deck file .*no.toml .No such"));
    EXPECT_THAT(message, ContainsRegex("sub/broken.toml:1:[0-9]+: not valid TOML"));
    EXPECT_THAT(message, ContainsRegex("sub/unknown.toml:2:1: unknown key model.layer "));
    EXPECT_THAT(message, HasSubstr("it is a directory"));
    EXPECT_THAT(message, HasSubstr("include holds a whole number"));
    EXPECT_THAT(message, HasSubstr("include holds no name of a file"));
    EXPECT_THAT(message, HasSubstr("schema_version 9 is unknown"));
}

TEST_F(DeckFiles, WhatAMissingIncludeHoldsIsNotMissedToo) {
    const fs::path path = write("deck.toml", "schema_version = 1\ninclude = [\"cluster.toml\"]\n");

    const std::string message = rejection(load(path));

    EXPECT_THAT(message, HasSubstr("cannot read deck file"));
    EXPECT_THAT(message, Not(HasSubstr("is missing")));
}

TEST_F(DeckFiles, AnIncludeThatIsNoListIsRefused) {
    const fs::path path =
        write("deck.toml", sample_with("title = \"sample\"", "include = \"sub/a.toml\""));

    EXPECT_THAT(rejection(load(path)), HasSubstr("include is text (a list of files is expected)"));
}

TEST_F(DeckFiles, WhatIsNoReadableFileIsABadDeck) {
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);

    EXPECT_THAT(rejection(load(folder_ / "none.toml")), HasSubstr("No such file or directory"));
    EXPECT_THAT(rejection(load(folder_)), HasSubstr("it is a directory"));
    EXPECT_THAT(rejection(load(folder_ / "pipe")), HasSubstr("it is not a regular file"));
    EXPECT_THAT(rejection(load("")), HasSubstr("No such file or directory"));
    EXPECT_THAT(rejection(load(std::string(5000, 'x'))), HasSubstr("cannot read deck file"));
}

TEST_F(DeckFiles, AFileWithoutPermissionIsABadDeck) {
    if (geteuid() == 0) {
        GTEST_SKIP() << "root may read everything";
    }
    const fs::path path = write("secret.toml", std::string{sample_text});
    fs::permissions(path, fs::perms::none);

    EXPECT_THAT(rejection(load(path)), HasSubstr("permission denied"));
}

TEST_F(DeckFiles, HugeAndDeepContentIsRefusedQuickly) {
    const std::string almost_a_mebibyte(1'000'000, '[');
    std::string dotted = "a";
    for (int i = 0; i < 400'000; ++i) {
        dotted += ".a";
    }
    std::string nested;
    for (int i = 0; i < 100'000; ++i) {
        nested += "{a=";
    }

    EXPECT_THAT(rejection(load(write("huge.toml", std::string(10'000'000, '[')))),
                HasSubstr("it has 10000000 bytes"));
    EXPECT_THAT(rejection(load(write("a.toml", almost_a_mebibyte))), HasSubstr("not valid TOML"));
    EXPECT_THAT(rejection(load(write("b.toml", dotted + " = 1\n"))),
                HasSubstr("more than 8 parts"));
    EXPECT_THAT(rejection(load(write("c.toml", "[" + dotted + "]\n"))),
                HasSubstr("more than 8 parts"));
    EXPECT_THAT(rejection(load(write("d.toml", "x = " + nested))), HasSubstr("not valid TOML"));
    EXPECT_THAT(rejection(load(write("e.toml", "x = " + almost_a_mebibyte))),
                HasSubstr("not valid TOML"));
    EXPECT_THAT(rejection(parse(std::string(2'000'000, ' '), "text", ".")),
                HasSubstr("is too long"));
}

TEST_F(DeckFiles, BinaryAndEmptyFilesAreRefused) {
    std::string binary;
    for (int i = 0; i < 4096; ++i) {
        binary += static_cast<char>(i * 37 % 256);
    }

    EXPECT_THAT(rejection(load(write("binary.toml", binary))), HasSubstr("not valid UTF-8"));
    EXPECT_THAT(rejection(load(write("zero.toml", std::string(100, '\0')))),
                HasSubstr("not valid TOML"));
    EXPECT_THAT(rejection(load(write("empty.toml", ""))), HasSubstr("schema_version is missing"));
}

}  // namespace
}  // namespace prismllm::deck
