// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "payloads.hpp"

#include <algorithm>
#include <cmath>

#include "prismllm/base/random.hpp"

namespace prismllm::emulation {

using target::Payload;

void Payloads::reduce(graph::ReduceOp op, std::int64_t real, std::int64_t size,
                      std::span<float> all) {
    const auto absent = static_cast<float>(size - real);
    const bool takes_largest = op == graph::ReduceOp::max;
    switch (policy_) {
        case Payload::replicate:
            if (!takes_largest) {
                const float scale = static_cast<float>(size) / static_cast<float>(real);
                std::ranges::for_each(all, [&](float& value) { value *= scale; });
            }
            return;
        case Payload::zeros:
            if (takes_largest) {
                std::ranges::for_each(all, [](float& value) { value = std::max(value, 0.0F); });
            }
            return;
        case Payload::random: {
            std::vector<float> theirs(all.size());
            draw(all, theirs);
            // What cannot be negative (sums of exponentials, squared norms) stays so.
            if (std::ranges::all_of(all, [](float value) { return value >= 0; })) {
                std::ranges::for_each(theirs, [](float& value) { value = std::abs(value); });
            }
            // One draw stands for the sum of all of them: `all` is the sum of `real`.
            const float scale = std::sqrt(absent / static_cast<float>(real));
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i] = takes_largest ? std::max(all[i], theirs[i]) : all[i] + scale * theirs[i];
            }
            return;
        }
    }
}

void Payloads::gather(std::span<const float> like, std::span<float> part) {
    switch (policy_) {
        case Payload::replicate:
            std::ranges::copy(like, part.begin());
            return;
        case Payload::zeros:
            std::ranges::fill(part, 0.0F);
            return;
        case Payload::random:
            draw(like, part);
            return;
    }
}

void Payloads::send(graph::FamilyIndex family, std::span<const float> message) {
    if (policy_ == Payload::replicate) {
        last_sent_[family].assign(message.begin(), message.end());
    }
}

void Payloads::receive(graph::FamilyIndex family, std::span<float> message) {
    if (policy_ == Payload::zeros) {
        std::ranges::fill(message, 0.0F);
        return;
    }
    const auto sent = last_sent_.find(family);
    if (sent != last_sent_.end() && sent->second.size() == message.size()) {
        std::ranges::copy(sent->second, message.begin());
        return;
    }
    draw({}, message);
}

void Payloads::draw(std::span<const float> like, std::span<float> out) {
    double squares = 0;
    for (const float value : like) {
        squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const double size = squares > 0 && std::isfinite(squares)
                            ? std::sqrt(squares / static_cast<double>(like.size()))
                            : 1;
    // 222 steps of a power of two, so that every 16-bit format holds each number exactly. Their
    // root mean square is 0.999 of it.
    const auto step = static_cast<float>(std::exp2(std::round(std::log2(size)) - 6));
    const std::uint64_t key = random_word(seed_, draws_++);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto number = static_cast<std::int64_t>(random_word(key, i) % 223) - 111;
        out[i] = step * static_cast<float>(number);
    }
}

}  // namespace prismllm::emulation
