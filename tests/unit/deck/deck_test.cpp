// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/base/sha256.hpp"

#include "sample_deck.hpp"

namespace prismllm::deck {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Deck, FillsTheJobInStorageUnits) {
    const auto deck = parse_sample();

    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    const target::Job& job = deck->job;
    EXPECT_EQ(job.title, "sample");
    EXPECT_EQ(job.model.layers, 4);
    EXPECT_EQ(job.model.norm, target::NormKind::layernorm);
    EXPECT_EQ(job.parallel.tensor, 2);
    EXPECT_EQ(job.parallel.order, target::RankOrder::tp_cp_ep_pp_dp);
    EXPECT_EQ(job.device.bf16_flops, 989.4e12);
    EXPECT_EQ(job.device.memory_bytes, 80LL << 30);
    EXPECT_EQ(job.device.memory_bandwidth, 3.35e12);
    EXPECT_EQ(job.device.launch_gap_us, 2.5);
    EXPECT_EQ(job.device.rope.t0_us, 1.5);
    EXPECT_EQ(job.cluster.nic_bandwidth, 50e9);  // 400 Gbit/s / 8
    ASSERT_EQ(job.emulation.slow_ranks.size(), 1U);
    EXPECT_EQ(job.emulation.slow_ranks[0].rank, 3);
    EXPECT_EQ(job.emulation.slow_ranks[0].factor, 1.25);
}

TEST(Deck, LeavesDefaultsWhereNothingIsSaid) {
    const auto deck = parse_sample();

    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    EXPECT_EQ(deck->job.parallel.vocab_padding, 128);
    EXPECT_EQ(deck->job.training.precision, target::Precision::bf16);
    EXPECT_FALSE(deck->job.published.mfu.has_value());
    EXPECT_EQ(deck->job.device.gemm_bf16.source, "");
}

TEST(Deck, ReadsEveryWordOfEveryChoiceInEnumeratorOrder) {
    using target::PositionKind;
    using target::Precision;
    using target::Recompute;
    const std::vector<std::pair<std::string, PositionKind>> positions{
        {"rope", PositionKind::rope},
        {"learned", PositionKind::learned},
        {"alibi", PositionKind::alibi},
        {"none", PositionKind::none}};
    const std::vector<std::pair<std::string, Precision>> precisions{{"bf16", Precision::bf16},
                                                                    {"fp16", Precision::fp16},
                                                                    {"fp32", Precision::fp32},
                                                                    {"fp8", Precision::fp8}};
    const std::vector<std::pair<std::string, Recompute>> recomputes{
        {"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}};

    for (const auto& [word, expected] : positions) {
        EXPECT_EQ(parse_sample({"model.positions=" + word})->job.model.positions, expected);
    }
    for (const auto& [word, expected] : precisions) {
        const auto deck = parse_sample({"training.precision=" + word, "device.fp8=1 PFLOP/s"});
        EXPECT_EQ(deck->job.training.precision, expected);
    }
    for (const auto& [word, expected] : recomputes) {
        EXPECT_EQ(parse_sample({"training.recompute=" + word})->job.training.recompute, expected);
    }
    EXPECT_EQ(parse_sample({"parallel.pipeline_schedule=gpipe"})->job.parallel.schedule,
              target::PipelineSchedule::gpipe);
    EXPECT_EQ(parse_sample({"parallel.rank_order=tp-cp-ep-dp-pp"})->job.parallel.order,
              target::RankOrder::tp_cp_ep_dp_pp);
    EXPECT_EQ(parse_sample({"model.norm=rmsnorm"})->job.model.norm, target::NormKind::rmsnorm);
}

TEST(Deck, AnOverrideWinsAndTextNeedsNoQuotes) {
    const auto deck = parse_sample(
        {"parallel.tensor_parallel=4", "title = four ranks a group", "device.memory=96 GB",
         "emulation.timeline_ranks=[0, 7]", "published.mfu=0.43", "parallel.sequence_parallel=true",
         "model.name=\"quoted # name\"", "parallel.zero_stage=1", "parallel.tensor_parallel=8"});

    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    EXPECT_EQ(deck->job.parallel.tensor, 8);  // the last one wins
    EXPECT_EQ(deck->job.title, "four ranks a group");
    EXPECT_EQ(deck->job.device.memory_bytes, 96'000'000'000);
    EXPECT_THAT(deck->job.emulation.timeline_ranks, ElementsAre(0, 7));
    EXPECT_EQ(deck->job.published.mfu, 0.43);
    EXPECT_TRUE(deck->job.parallel.sequence);
    EXPECT_EQ(deck->job.model.name, "quoted # name");
    EXPECT_EQ(deck->job.parallel.zero_stage, 1);
}

TEST(Deck, BadOverridesAreNamedWithTheirText) {
    EXPECT_THAT(rejection(parse_sample({"parallel.tensor_paralel=4"})),
                AllOf(StartsWith("--set parallel.tensor_paralel=4: unknown key"),
                      EndsWith("Did you mean parallel.tensor_parallel?")));
    EXPECT_THAT(rejection(parse_sample({"tensor_parallel"})), HasSubstr("not a setting"));
    EXPECT_THAT(rejection(parse_sample({"model.layers=four"})), HasSubstr("not a valid value"));
    EXPECT_THAT(rejection(parse_sample({"model.layers="})), HasSubstr("not a valid value"));
    EXPECT_THAT(rejection(parse_sample({"model.layers=1\nx=2"})), HasSubstr("not a setting"));
    EXPECT_THAT(rejection(parse_sample({"model.name=\xff"})), HasSubstr("not a setting"));
    EXPECT_THAT(rejection(parse_sample({"model=3"})), HasSubstr("model is a section"));
    EXPECT_THAT(rejection(parse_sample({"schema_version=2"})), HasSubstr("unknown key"));
}

TEST(Deck, AllProblemsAreReportedAtOnceInTheOrderOfTheText) {
    std::string text = sample_with("layers = 4", "layers = \"4\"\nhiden_size = 5");
    text += "jitter = -1\n";

    const std::string message = rejection(parse(text, "sample.toml", "."));

    EXPECT_THAT(message, StartsWith("sample.toml has 3 problems:\n"));
    EXPECT_THAT(message, HasSubstr("\n  sample.toml:6:1: model.layers is text (a whole number is "
                                   "expected). Write it without quotes and unit\n"));
    EXPECT_THAT(message, HasSubstr("\n  sample.toml:7:1: unknown key model.hiden_size (no such "
                                   "setting). Did you mean model.hidden_size?\n"));
    EXPECT_THAT(message, HasSubstr(": emulation.jitter = -1 is negative (0 ... 0.3 is allowed)"));
    EXPECT_LT(message.find("model.layers"), message.find("hiden_size"));
    EXPECT_LT(message.find("hiden_size"), message.find("jitter"));
}

TEST(Deck, AManyTimesWrongDeckIsCutShort) {
    std::string text{sample_text};
    for (int i = 0; i < 200; ++i) {
        text += fmt::format("x{} = 1\n", i);
    }

    const std::string message = rejection(parse(text, "sample.toml", "."));

    EXPECT_THAT(message, StartsWith("sample.toml has 200 problems:"));
    EXPECT_THAT(message, EndsWith("... and 150 more"));
}

TEST(Deck, UnknownKeysGetTheNearestSetting) {
    EXPECT_THAT(rejection_of("tensor_parallel = 2", "tensor-model-parallel-size = 2"),
                EndsWith("Did you mean parallel.tensor_parallel?"));  // Megatron-LM's name
    EXPECT_THAT(rejection_of("tensor_parallel = 2", "micro_batch_size = 2"),
                EndsWith("Did you mean training.micro_batch_size?"));  // another section's key
    EXPECT_THAT(rejection_of("tensor_parallel = 2", "tenosr_parallel = 2"),
                EndsWith("Did you mean parallel.tensor_parallel?"));
    EXPECT_THAT(rejection_of("[parallel]", "[paralel]"),
                HasSubstr("unknown key paralel (no such setting). Did you mean parallel?"));
    EXPECT_THAT(rejection_of("tensor_parallel = 2", "completely_different_thing = 2"),
                EndsWith("See docs/reference/deck.md"));
    EXPECT_THAT(rejection_of("title = ", "\"model.layers\" = "),
                AllOf(HasSubstr("unknown key \"model.layers\""), Not(HasSubstr("accepted"))));
}

TEST(Deck, RejectsWrongTypesByName) {
    EXPECT_THAT(rejection_of("layers = 4", "layers = 4.5"),
                HasSubstr("model.layers is a number with a point or an exponent (a whole number is "
                          "expected). Write it in digits alone"));
    EXPECT_THAT(rejection_of("layers = 4", "layers = true"), HasSubstr("is true or false"));
    EXPECT_THAT(rejection_of("layers = 4", "layers = 2026-01-01"), HasSubstr("is a date or time"));
    EXPECT_THAT(rejection_of("layers = 4", "layers = [4]"), HasSubstr("is a list"));
    EXPECT_THAT(rejection_of("layers = 4", "layers.x = 4"), HasSubstr("is a table"));
    EXPECT_THAT(rejection_of("name = \"tiny\"", "name = 3"), HasSubstr("Put it in quotes"));
    EXPECT_THAT(rejection_of("name = \"tiny\"", "name = \"\""), HasSubstr("model.name is empty"));
    EXPECT_THAT(rejection_of("\"layernorm\"", "\"LayerNorm\""),
                HasSubstr("Did you mean \"layernorm\"?"));
    EXPECT_THAT(rejection_of("\"layernorm\"", "1"), HasSubstr("one of \"layernorm\", \"rmsnorm\""));
    EXPECT_THAT(rejection_of("eff = 0.6", "eff = \"0.6\""), HasSubstr("a number is expected"));
    EXPECT_THAT(rejection_of("world_size = 8", "world_size = 8\nsequence_parallel = 1"),
                HasSubstr("true or false is expected"));
}

TEST(Deck, RejectsNumbersOutOfRangeByName) {
    EXPECT_THAT(rejection_of("layers = 4", "layers = 0"),
                HasSubstr("model.layers = 0 is out of range (1 ... 32767 is allowed)"));
    EXPECT_THAT(rejection_of("layers = 4", "layers = -4"), HasSubstr("is negative"));
    EXPECT_THAT(rejection_of("layers = 4", "layers = 9223372036854775807"),
                HasSubstr("out of range"));
    EXPECT_THAT(rejection_of("layers = 4", "layers = 9223372036854775808"),
                HasSubstr("not valid TOML"));
    EXPECT_THAT(rejection_of("eff = 0.6", "eff = nan"), HasSubstr("eff is NaN"));
    EXPECT_THAT(rejection_of("eff = 0.6", "eff = -inf"), HasSubstr("eff is infinite"));
    EXPECT_THAT(rejection_of("eff = 0.6", "eff = 0"), HasSubstr("above 0, at most 1.5"));
    EXPECT_THAT(rejection_of("\"450 GB/s\"", "\"0 GB/s\""),
                HasSubstr("\"0 GB/s\" is out of range (above 0 B/s, at most "));
}

TEST(Deck, StatesTheWholeRangeThatItTakes) {
    EXPECT_THAT(rejection(parse_sample({"device.memory_bandwidth=1e30 B/s"})),
                HasSubstr("(above 0 B/s, at most 1e20 B/s is allowed)"));
    EXPECT_THAT(rejection(parse_sample({"native.rope_base=1e30"})),
                HasSubstr("(1 ... 1000000000000000 is allowed)"));
    EXPECT_THAT(rejection(parse_sample({"model.layers=32768"})), HasSubstr("(1 ... 32767 is"));
    EXPECT_THAT(rejection(parse_sample({"model.layers=1e308"})),
                HasSubstr("a number with a point or an exponent (a whole number"));
    EXPECT_THAT(rejection(parse_sample({"model.layers=inf"})),
                HasSubstr("model.layers is infinite"));
}

TEST(Deck, RejectsNumbersThatFp32WouldTakeForZero) {
    for (const char* key :
         {"learning_rate", "clip_gradient", "weight_decay", "beta1", "beta2", "start_deviation"}) {
        EXPECT_THAT(rejection(parse_sample({fmt::format("native.{}=1e-300", key)})),
                    HasSubstr("out of range (0, or 1e-12 ... "));
        EXPECT_TRUE(parse_sample({fmt::format("native.{}=0", key)}).has_value());
    }
    EXPECT_THAT(rejection(parse_sample({"native.epsilon=1e-300"})), HasSubstr("out of range"));
    EXPECT_THAT(rejection(parse_sample({"native.loss_scale=1e-300"})), HasSubstr("out of range"));
    EXPECT_THAT(rejection(parse_sample({"training.hidden_dropout=1e-300"})),
                HasSubstr("(0, or 1e-07 ... 0.9 is allowed)"));
}

TEST(Deck, ListsAndTablesAreNoText) {
    EXPECT_THAT(rejection(parse_sample({"model.name=[1]"})),
                HasSubstr("model.name is a list (text is expected). Put it in quotes"));
    EXPECT_THAT(rejection(parse_sample({"title={a = 1}"})), HasSubstr("title is a table (text"));
    EXPECT_THAT(rejection(parse_sample({"training.precision=[\"bf16\"]"})),
                HasSubstr("training.precision is a list (one of"));
    EXPECT_THAT(rejection(parse_sample({"device.memory=[1]"})),
                HasSubstr("device.memory is a list (a size with a unit is expected)"));
    EXPECT_THAT(rejection(parse_sample({"title=[draft] one"})), HasSubstr("not a valid value"));
    EXPECT_EQ(parse_sample({"title=\"[draft] one\""})->job.title, "[draft] one");
}

TEST(Deck, QuotesControlCharactersAsText) {
    EXPECT_THAT(
        rejection_of("\"450 GB/s\"", "\"\\u0000\\u001b[31m450 GB/s\""),
        AllOf(HasSubstr("'\\x00\\x1b[31m450 GB/s' does not begin"), Not(HasSubstr("\x1b"))));
    EXPECT_THAT(rejection_of("\"450 GB/s\"", "\"450 G\\u0007B/s\""),
                AllOf(HasSubstr("G\\x07B/s"), Not(HasSubstr("\x07"))));
}

TEST(Deck, ChecksSettingsTogetherThatAreGoodBesideOthersThatAreNot) {
    EXPECT_THAT(rejection(parse_sample({"model.layers=0", "emulation.timeline_ranks=[8]"})),
                AllOf(HasSubstr("model.layers = 0"), HasSubstr("names rank 8")));
    EXPECT_THAT(rejection(parse_sample({"parallel.world_size=0", "emulation.timeline_ranks=[8]"})),
                Not(HasSubstr("names rank")));
}

TEST(Deck, RejectsValuesWithoutOrWithWrongUnits) {
    EXPECT_THAT(rejection_of("\"80 GiB\"", "80"),
                HasSubstr("device.memory = 80 has no unit (a size needs one)"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"80\""), HasSubstr("'80' has no unit"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"80 GB/s\""),
                HasSubstr("'GB/s' is a unit of bandwidth (a size is expected)"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"80 gib\""), HasSubstr("unknown unit 'gib'"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"-80 GiB\""), HasSubstr("is negative"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"nan GiB\""), HasSubstr("finite number"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"1e400 GiB\""), HasSubstr("beyond all numbers"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"1e99999999999999999999 GiB\""),
                HasSubstr("beyond all numbers"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"1.5 B\""), HasSubstr("is not whole"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "\"\""), HasSubstr("finite number"));
    EXPECT_THAT(rejection_of("\"80 GiB\"", "[\"80 GiB\"]"), HasSubstr("is a list"));
}

TEST(Deck, RejectsUnitsThatMixUpBitsAndBytes) {
    for (const char* unit : {"Gbps", "GBps", "gbps", "Gbits/s", "Mbps"}) {
        EXPECT_THAT(rejection_of("400 Gbit/s", std::string{"400 "} + unit),
                    AllOf(HasSubstr("is ambiguous"), HasSubstr("Gbit/s"), HasSubstr("GB/s")))
            << unit;
    }
}

TEST(Deck, ReadsTheSameQuantityInAnyUnit) {
    for (const char* text : {"400 Gbit/s", "50 GB/s", "50000 MB/s", "0.05TB/s", "5e1  GB/s",
                             " +50.0 GB/s ", "5e10 B/s"}) {
        const auto deck = parse_sample({std::string{"cluster.nic_bandwidth=\""} + text + "\""});
        ASSERT_TRUE(deck.has_value()) << deck.error().message;
        EXPECT_EQ(deck->job.cluster.nic_bandwidth, 50e9) << text;
    }
    EXPECT_EQ(parse_sample({"emulation.eager=1 MiB"})->job.emulation.eager_bytes, 1 << 20);
    EXPECT_EQ(parse_sample({"device.launch_gap=1 ms"})->job.device.launch_gap_us, 1000);
    EXPECT_EQ(parse_sample({"device.launch_gap=100 ns"})->job.device.launch_gap_us, 0.1);
    EXPECT_EQ(parse_sample({"published.iteration_time=14453 ms"})->job.published.iteration_time_s,
              14.453);
}

TEST(Deck, NamesMissingKeysSectionsAndVersion) {
    EXPECT_THAT(rejection_of("layers = 4\n", ""), HasSubstr("missing key model.layers"));
    EXPECT_THAT(rejection_of("schema_version = 1\n", ""), HasSubstr("schema_version is missing"));
    EXPECT_THAT(rejection_of("schema_version = 1", "schema_version = 2"),
                HasSubstr("schema_version 2 is unknown (this program reads version 1)"));
    EXPECT_THAT(rejection_of("schema_version = 1", "schema_version = \"1\""),
                HasSubstr("schema_version is text"));
    const std::string empty = rejection(parse("", "empty.toml", "."));
    for (const char* section : {"[model]", "[parallel]", "[training]", "[device]", "[cluster]"}) {
        EXPECT_THAT(empty, HasSubstr(std::string{"section "} + section + " is missing"));
    }
}

TEST(Deck, AFitIsTakenWholeOrNotAtAll) {
    EXPECT_THAT(rejection_of("t0 = \"1.5 us\"\n", ""),
                HasSubstr("[device.streaming.rope] lacks t0 (a fit is used whole)"));
    EXPECT_THAT(rejection_of("eff = 0.6\nt0 = \"1.5 us\"\nsource = \"invented\"",
                             "eff = 0.6\nt0 = \"1.5 us\"\nsource = \"\""),
                HasSubstr("device.streaming.rope.source is empty"));
}

TEST(Deck, RejectsWhatTheTomlStandardForbids) {
    EXPECT_THAT(rejection_of("layers = 4", "layers = 4\nlayers = 5"),
                AllOf(StartsWith("sample.toml:7:"), HasSubstr("not valid TOML")));
    EXPECT_THAT(rejection_of("layers = 4", "layers = "), StartsWith("sample.toml:6:"));
    EXPECT_THAT(rejection_of("[model]", "[model"), HasSubstr("not valid TOML"));
    EXPECT_THAT(rejection_of("tiny", "\xc3\x28"), HasSubstr("not valid UTF-8"));
}

TEST(Deck, ReadsPauses) {
    const auto deck =
        parse_sample({"emulation.pauses=[{rank=5,iteration=3,time=\"50 "
                      "ms\"},{rank=0,iteration=0,time=\"2 s\"}]"});
    ASSERT_TRUE(deck.has_value());
    const auto& pauses = deck->job.emulation.pauses;
    ASSERT_EQ(pauses.size(), 2U);
    EXPECT_EQ(pauses[0].rank, 5);
    EXPECT_EQ(pauses[0].iteration, 3);
    EXPECT_DOUBLE_EQ(pauses[0].time_s, 0.05);
    EXPECT_THAT(deck->resolved_toml,
                HasSubstr("pauses = [{rank = 5, iteration = 3, time = \"50 ms\"}, "
                          "{rank = 0, iteration = 0, time = \"2 s\"}]"));
    for (const auto* wrong : {"[{rank=5,iteration=3,time=50}]", "[{rank=5,time=\"1 s\"}]", "[5]"}) {
        EXPECT_THAT(rejection(parse_sample({std::string{"emulation.pauses="} + wrong})),
                    HasSubstr("something else than {rank, iteration, time}"));
    }
    EXPECT_THAT(rejection(parse_sample({"emulation.pauses=[{rank=5,iteration=3,time=\"1\"}]"})),
                HasSubstr("emulation.pauses: "));
    EXPECT_THAT(rejection(parse_sample({"emulation.pauses=[{rank=5,iteration=-1,time=\"1 ms\"}]"})),
                HasSubstr("out of range"));
}

TEST(Deck, ChecksRanksAndPrecisionAgainstTheRest) {
    EXPECT_THAT(rejection(parse_sample({"emulation.timeline_ranks=[8]"})),
                HasSubstr("names rank 8 (world_size 8 has ranks 0 ... 7)"));
    EXPECT_THAT(rejection(parse_sample({"parallel.world_size=2"})),
                HasSubstr("emulation.slow_ranks names rank 3"));
    EXPECT_THAT(
        rejection(parse_sample({"emulation.slow_ranks=[{rank=1,factor=2},{rank=1,factor=3}]"})),
        HasSubstr("names rank 1 twice"));
    EXPECT_THAT(rejection(parse_sample({"emulation.slow_ranks=[{rank=1,factor=0}]"})),
                HasSubstr("out of range"));
    EXPECT_THAT(rejection(parse_sample({"emulation.slow_ranks=[{rank=1}]"})),
                HasSubstr("something else than {rank, factor}"));
    EXPECT_THAT(rejection(parse_sample({"emulation.pauses=[{rank=8,iteration=0,time=\"1 s\"}]"})),
                HasSubstr("emulation.pauses names rank 8 (world_size 8 has ranks 0 ... 7)"));
    EXPECT_THAT(rejection(parse_sample({"training.precision=fp8"})),
                HasSubstr("training.precision is fp8 (device toy has no fp8 rate)"));
}

TEST(Deck, TheEchoLoadsToTheSameHashAndJob) {
    const auto deck = parse_sample({"published.mfu=0.123456789012345678",
                                    "published.note=a \"b\" \\", "emulation.jitter=1e-7",
                                    "emulation.eager=4097 B", "device.launch_gap=0.3 us"});
    ASSERT_TRUE(deck.has_value()) << deck.error().message;

    const auto from_values = parse(deck->values_toml, "echo.toml", ".");
    const auto from_resolved = parse(deck->resolved_toml, "echo.toml", ".");

    ASSERT_TRUE(from_values.has_value()) << from_values.error().message;
    ASSERT_TRUE(from_resolved.has_value()) << from_resolved.error().message;
    EXPECT_EQ(from_values->values_toml, deck->values_toml);
    EXPECT_EQ(from_values->sha256, deck->sha256);
    EXPECT_EQ(from_resolved->sha256, deck->sha256);
    EXPECT_EQ(from_values->job.published.mfu, deck->job.published.mfu);
    EXPECT_EQ(from_values->job.published.note, "a \"b\" \\");
    EXPECT_EQ(from_values->job.emulation.jitter, 1e-7);
    EXPECT_EQ(from_values->job.device.launch_gap_us, 0.3);
    EXPECT_EQ(deck->sha256, sha256_hex(deck->values_toml));
}

TEST(Deck, TheHashIsOfTheSettingsAndNotOfTheirSpelling) {
    const auto plain = parse_sample();
    const auto other_units = parse(sample_with("\"400 Gbit/s\"", "\"50 GB/s\""), "b.toml", ".");
    const auto by_override = parse_sample({"model.layers=4", "parallel.vocab_padding=128"});
    const auto changed = parse_sample({"model.layers=5"});

    EXPECT_EQ(plain->sha256, other_units->sha256);
    EXPECT_EQ(plain->sha256, by_override->sha256);
    EXPECT_NE(plain->sha256, changed->sha256);
}

TEST(Deck, TheResolvedTextSaysWhereEachValueComesFrom) {
    const auto deck = parse_sample({"parallel.tensor_parallel=4"});

    ASSERT_TRUE(deck.has_value()) << deck.error().message;
    const std::string& text = deck->resolved_toml;
    EXPECT_THAT(text, testing::ContainsRegex("\nlayers = 4 +# sample.toml:6\n"));
    EXPECT_THAT(text, testing::ContainsRegex("\ntensor_parallel = 4 +# --set\n"));
    EXPECT_THAT(text, testing::ContainsRegex("\nvocab_padding = 128 +# default\n"));
    EXPECT_THAT(text, testing::ContainsRegex("\nmemory = \"80 GiB\" +# sample.toml:28\n"));
    EXPECT_THAT(deck->values_toml, Not(HasSubstr("#")));
    EXPECT_THAT(text, Not(HasSubstr("[device.gemm")));  // no fit was given
}

}  // namespace
}  // namespace prismllm::deck
