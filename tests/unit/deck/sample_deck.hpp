// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file sample_deck.hpp
/// A small complete deck that loads, and short ways to load variations of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prismllm/deck/deck.hpp"

namespace prismllm::deck {

inline constexpr std::string_view sample_text = R"(schema_version = 1
title = "sample"

[model]
name = "tiny"
layers = 4
hidden_size = 256
attention_heads = 8
vocab_size = 1000
norm = "layernorm"

[parallel]
world_size = 8
tensor_parallel = 2
rank_order = "tp-cp-ep-pp-dp"

[training]
global_batch_size = 16
sequence_length = 128

[device]
name = "toy"
architecture = "hopper"
sm_count = 132
fp32 = "66.9 TFLOP/s"
fp16 = "989.4 TFLOP/s"
bf16 = "989.4 TFLOP/s"
memory = "80 GiB"
memory_bandwidth = "3.35 TB/s"
launch_gap = "2.5 us"
source = "invented"

[device.streaming.rope]
eff = 0.6
t0 = "1.5 us"
source = "invented"

[cluster]
name = "toy cluster"
scale_up_bandwidth = "450 GB/s"
nics_per_node = 8
nic_bandwidth = "400 Gbit/s"
source = "invented"

[emulation]
slow_ranks = [{rank = 3, factor = 1.25}]
)";

inline Expected<Deck> parse_sample(const std::vector<std::string>& overrides = {}) {
    return parse(sample_text, "sample.toml", ".", overrides);
}

/// The sample with the first `from` replaced by `to`.
inline std::string sample_with(std::string_view from, std::string_view to) {
    std::string text{sample_text};
    return text.replace(text.find(from), from.size(), to);
}

/// Message of a deck that must be rejected; says so when it is not.
inline std::string rejection(const Expected<Deck>& deck) {
    if (deck) {
        return "(was accepted)";
    }
    return (deck.error().code == ErrorCode::bad_deck ? "" : "(wrong code) ") + deck.error().message;
}

inline std::string rejection_of(std::string_view from, std::string_view to) {
    return rejection(parse(sample_with(from, to), "sample.toml", "."));
}

}  // namespace prismllm::deck
