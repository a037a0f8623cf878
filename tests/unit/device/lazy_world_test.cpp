// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Ranks on devices that communicate among themselves, on streams, compute what ranks on the host
// do.
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "prismllm/program/training_step.hpp"

#include "device_executor.hpp"
#include "job_samples.hpp"
#include "lazy_device.hpp"
#include "thread_world.hpp"

namespace prismllm::device {
namespace {

constexpr int steps = 3;

std::vector<std::byte> text() {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < 512; ++i) {
        bytes.push_back(static_cast<std::byte>("words to learn by heart, "[i * i % 25]));
    }
    return bytes;
}

/// A rank's device, and how many calls it made on streams.
struct RankDevice {
    std::unique_ptr<Device> device;
    LazyCollectives* collectives = nullptr;
};
using MakeDevice = std::function<RankDevice(Transport&)>;

RankDevice on_host(Transport&) {
    return {make_host_device(), nullptr};
}

RankDevice on_streams(LazyDriver::Order order, Transport& transport) {
    static thread_local LazyDriver::Leftovers leftovers;
    auto driver = std::make_unique<LazyDriver>(leftovers, order);
    auto operations = std::make_unique<LazyOperations>(*driver);
    auto collectives = std::make_unique<LazyCollectives>(*driver, transport);
    LazyCollectives* made = collectives.get();
    return {std::make_unique<StreamedDevice>(std::move(driver), std::move(operations),
                                             std::move(collectives)),
            made};
}

struct Result {
    std::vector<double> losses;
    std::size_t stream_calls = 0;
    std::string failure;
};

/// [rank]
std::vector<Result> train(const target::Job& job, const MakeDevice& make) {
    const auto setup = program::make_setup(job).value();
    const Training training;
    const std::vector<std::byte> bytes = text();
    ThreadWorld world{setup.family_list, setup.layout.world_size};
    std::vector<Result> results(static_cast<std::size_t>(setup.layout.world_size));
    std::vector<std::thread> threads;
    for (std::int64_t rank = 0; rank < setup.layout.world_size; ++rank) {
        threads.emplace_back([&, rank] {
            Result& result = results[static_cast<std::size_t>(rank)];
            try {
                const auto transport = world.transport(rank);
                RankDevice own = make(*transport);
                DeviceExecutor executor{
                    std::move(own.device), Timing::none, setup, rank, training, bytes,
                    transport.get()};
                program::TrainingProgram program{setup, rank, executor};
                for (int step = 0; step < steps; ++step) {
                    program.step();
                    result.losses.push_back(executor.end_step());
                }
                result.stream_calls = own.collectives != nullptr ? own.collectives->calls() : 0;
            } catch (const std::exception& error) {
                result.failure = error.what();
                world.give_up();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return results;
}

struct Cut {
    std::string name;
    std::int64_t tensor = 1, pipeline = 1, data = 1;
    bool sequence = false;
    int zero_stage = 0;
};
void PrintTo(const Cut& cut, std::ostream* out) {
    *out << cut.name;
}

class LazyWorld : public testing::TestWithParam<Cut> {};

TEST_P(LazyWorld, ComputesTheLossesOfTheHost) {
    const Cut& cut = GetParam();
    target::Job job = target::tiny_job();
    job.parallel.tensor = cut.tensor;
    job.parallel.pipeline = cut.pipeline;
    job.parallel.world_size = cut.tensor * cut.pipeline * cut.data;
    job.parallel.sequence = cut.sequence;
    job.parallel.zero_stage = cut.zero_stage;
    job.parallel.overlap_grad_reduce = job.parallel.overlap_param_gather = cut.zero_stage > 0;

    const std::vector<Result> host = train(job, on_host);
    for (const auto order : {LazyDriver::Order::late, LazyDriver::Order::others_first}) {
        const std::vector<Result> streams =
            train(job, [&](Transport& transport) { return on_streams(order, transport); });
        for (std::size_t rank = 0; rank < host.size(); ++rank) {
            EXPECT_EQ(host[rank].failure, "");
            EXPECT_EQ(streams[rank].failure, "");
            EXPECT_EQ(streams[rank].losses, host[rank].losses) << "rank " << rank;
            EXPECT_GT(streams[rank].stream_calls, 0U);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cuts, LazyWorld,
                         testing::Values(Cut{"tensor", 2}, Cut{"sequence", 2, 1, 1, true},
                                         Cut{"pipeline", 1, 2}, Cut{"data", 1, 1, 2},
                                         Cut{"zero", 1, 1, 2, false, 1},
                                         Cut{"all", 2, 2, 2, true, 1}),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace prismllm::device
