// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Proxies as threads of one process: an Exchange over shared memory that completes operations
/// late and in varying order, as a network would.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include "prismllm/base/random.hpp"
#include "prismllm/engine/exchange.hpp"

namespace prismllm::samples {

/// What the proxies share.
class MemoryHub {
public:
    explicit MemoryHub(int proxies) : proxies_{proxies} {}
    [[nodiscard]] int size() const { return proxies_; }

private:
    friend class MemoryExchange;
    struct Maximum {
        std::vector<std::int64_t> values;
        std::size_t joined = 0;
    };
    struct Channel {
        std::vector<int> members;
        std::vector<Maximum> maxima;  ///< in order of calls
    };
    int proxies_;
    std::mutex mutex_;
    std::vector<Channel> channels_;
    /// (from, to, tag): vectors under way
    std::map<std::tuple<int, int, int>, std::deque<std::vector<std::int64_t>>> mail_;
};

class MemoryExchange final : public engine::Exchange {
public:
    MemoryExchange(MemoryHub& hub, int self) : hub_{hub}, self_{self} {}

    [[nodiscard]] int size() const override { return hub_.size(); }
    [[nodiscard]] int self() const override { return self_; }

    int open_channel(std::span<const int> members) override {
        const std::lock_guard lock{hub_.mutex_};
        const auto number = calls_.size();
        calls_.push_back(0);
        const std::vector<int> sorted{members.begin(), members.end()};
        if (number == hub_.channels_.size()) {
            hub_.channels_.push_back({sorted, {}});
        } else if (hub_.channels_[number].members != sorted) {
            throw std::logic_error{"proxies open different channels"};
        }
        return static_cast<int>(number);
    }

    Ticket start_max(int channel, std::span<std::int64_t> values) override {
        const std::lock_guard lock{hub_.mutex_};
        auto& maxima = hub_.channels_[static_cast<std::size_t>(channel)].maxima;
        const std::size_t number = calls_[static_cast<std::size_t>(channel)]++;
        if (number == maxima.size()) {
            maxima.push_back({{values.begin(), values.end()}, 0});
        }
        MemoryHub::Maximum& maximum = maxima[number];
        if (maximum.values.size() != values.size()) {
            throw std::logic_error{"proxies reduce vectors of different lengths"};
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            maximum.values[i] = std::max(maximum.values[i], values[i]);
        }
        ++maximum.joined;
        return start({Kind::maximum, values, channel, number, 0, 0});
    }

    Ticket start_send(int to, int tag, std::span<const std::int64_t> values) override {
        const std::lock_guard lock{hub_.mutex_};
        hub_.mail_[{self_, to, tag}].emplace_back(values.begin(), values.end());
        return start({Kind::send, {}, 0, 0, to, tag});
    }

    Ticket start_recv(int from, int tag, std::span<std::int64_t> values) override {
        return start({Kind::recv, values, 0, 0, from, tag});
    }

    bool test(Ticket ticket) override {
        Operation& op = operations_[static_cast<std::size_t>(ticket)];
        if (op.patience > 0) {
            --op.patience;
            return false;
        }
        const std::lock_guard lock{hub_.mutex_};
        switch (op.kind) {
            case Kind::send:
                return true;
            case Kind::recv: {
                auto& mail = hub_.mail_[{op.peer, self_, op.tag}];
                if (mail.empty()) {
                    return false;
                }
                if (mail.front().size() != op.values.size()) {
                    throw std::logic_error{"a vector has another length than its receiver's"};
                }
                std::copy(mail.front().begin(), mail.front().end(), op.values.begin());
                mail.pop_front();
                return true;
            }
            case Kind::maximum: {
                auto& channel = hub_.channels_[static_cast<std::size_t>(op.channel)];
                const MemoryHub::Maximum& maximum = channel.maxima[op.number];
                if (maximum.joined < channel.members.size()) {
                    return false;
                }
                std::copy(maximum.values.begin(), maximum.values.end(), op.values.begin());
                return true;
            }
        }
        return false;
    }

    void relax() override { std::this_thread::yield(); }

private:
    enum class Kind : std::uint8_t { send, recv, maximum };
    struct Operation {
        Kind kind = Kind::send;
        std::span<std::int64_t> values;
        int channel = 0;
        std::size_t number = 0;
        int peer = 0;
        int tag = 0;
        std::uint32_t patience = 0;  ///< fruitless tests to come
    };

    Ticket start(Operation operation) {
        operation.patience = static_cast<std::uint32_t>(mix_bits(operations_.size() + 1) % 7);
        operations_.push_back(operation);
        return static_cast<Ticket>(operations_.size()) - 1;
    }

    MemoryHub& hub_;
    int self_;
    std::vector<std::size_t> calls_;  ///< [channel], maxima started
    std::deque<Operation> operations_;
};

}  // namespace prismllm::samples
