// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Every file of inputs/ is a promise to users: all decks load and describe a possible job.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/deck/deck.hpp"
#include "prismllm/target/layout.hpp"
#include "prismllm/target/parameters.hpp"

namespace prismllm::deck {
namespace {

namespace fs = std::filesystem;
const fs::path inputs = fs::path{PRISMLLM_SOURCE_DIR} / "inputs";

std::vector<fs::path> files_in(const char* folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator{inputs / folder}) {
        if (entry.path().extension() == ".toml") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// Those of published jobs and those that train for real.
std::vector<fs::path> all_decks() {
    std::vector<fs::path> decks = files_in("decks");
    std::ranges::copy(files_in("decks/tiny"), std::back_inserter(decks));
    return decks;
}

TEST(InputDecks, EveryDeckLoadsAndHasALayout) {
    const std::vector<fs::path> decks = all_decks();

    ASSERT_GE(decks.size(), 27U);
    for (const fs::path& path : decks) {
        const auto deck = load(path);
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        const target::Job& job = deck->job;
        const auto layout = target::make_layout(job.model, job.parallel, job.training);
        EXPECT_TRUE(layout.has_value()) << path << ": " << layout.error().message;
    }
}

TEST(InputDecks, TinyDecksNameATextThatIsThere) {
    for (const fs::path& path : files_in("decks/tiny")) {
        const auto deck = load(path);
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        EXPECT_GT(fs::file_size(path.parent_path() / deck->job.native.text), 3000U) << path;
    }
}

TEST(InputDecks, EveryDeckNamesItsSourceAndAPublishedFigure) {
    for (const fs::path& path : files_in("decks")) {
        const auto deck = load(path);
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        const target::Published& published = deck->job.published;
        EXPECT_FALSE(deck->job.title.empty()) << path;
        EXPECT_FALSE(published.source.empty()) << path;
        EXPECT_TRUE(published.iteration_time_s || published.model_tflops_per_gpu) << path;
    }
}

TEST(InputDecks, EveryEchoLoadsToTheSameHash) {
    for (const fs::path& path : all_decks()) {
        const auto deck = load(path);
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        const auto again = parse(deck->values_toml, "echo.toml", ".");
        ASSERT_TRUE(again.has_value()) << path << ": " << again.error().message;
        EXPECT_EQ(again->values_toml, deck->values_toml) << path;
        EXPECT_EQ(again->sha256, deck->sha256) << path;
    }
}

/// A deck that adds to `included` what a piece lacks.
Expected<Deck> deck_around(const std::string& included) {
    const std::string text = "schema_version = 1\ninclude = [" + included +
                             "]\n[parallel]\nworld_size = 8\n"
                             "[training]\nglobal_batch_size = 8\nsequence_length = 2048\n";
    return parse(text, "around.toml", inputs / "decks");
}

TEST(InputDecks, EveryModelAndEveryClusterLoads) {
    for (const fs::path& model : files_in("models")) {
        const auto deck = deck_around("\"../models/" + model.filename().string() +
                                      "\", \"../clusters/dgx_h100.toml\"");
        EXPECT_TRUE(deck.has_value()) << deck.error().message;
    }
    for (const fs::path& cluster : files_in("clusters")) {
        const auto deck = deck_around("\"../models/llama2_7b.toml\", \"../clusters/" +
                                      cluster.filename().string() + "\"");
        EXPECT_TRUE(deck.has_value()) << deck.error().message;
    }
}

TEST(InputDecks, ModelsHaveTheParametersOfTheirPublication) {
    // Exact counts of the published checkpoints (Llama) or of the paper's sizes (GPT).
    const std::vector<std::pair<std::string, std::int64_t>> counts{
        {"llama2_7b", 6'738'415'616},     {"llama2_13b", 13'015'864'320},
        {"llama2_70b", 68'976'648'192},   {"llama3.1_8b", 8'030'261'248},
        {"llama3.1_70b", 70'553'706'496}, {"llama3.1_405b", 405'853'388'800},
        {"mixtral_8x7b", 46'702'792'704}, {"mixtral_8x22b", 140'620'634'112},
        {"gpt3_175b", 174'604'259'328}};

    for (const auto& [name, count] : counts) {
        const auto deck =
            deck_around("\"../models/" + name + ".toml\", \"../clusters/dgx_h100.toml\"");
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        EXPECT_EQ(target::count_parameters(deck->job.model).total, count) << name;
    }
}

TEST(InputDecks, TheLlamaDeckGivesItsEndStagesOneLayerLess) {
    const auto deck = load(inputs / "decks" / "llama3.1_405b_h100_8192.toml");
    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    const target::Job& job = deck->job;

    const auto layout = target::make_layout(job.model, job.parallel, job.training);

    ASSERT_TRUE(layout.has_value()) << layout.error().message;
    std::vector<std::int64_t> layers(16, 0);
    for (std::int64_t stage = 0; stage < 16; ++stage) {
        for (std::int64_t chunk = 0; chunk < 8; ++chunk) {
            layers[static_cast<std::size_t>(stage)] += layout->work(stage, chunk).layer_count;
        }
    }
    EXPECT_THAT(layers, testing::ElementsAre(7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7));
    EXPECT_EQ(layout->work(0, 0).layer_count, 0);   // the embedding only
    EXPECT_EQ(layout->work(15, 7).layer_count, 0);  // the head and loss only
    EXPECT_EQ(layout->data, 64);
    EXPECT_EQ(layout->micro_batches, 32);
}

}  // namespace
}  // namespace prismllm::deck
