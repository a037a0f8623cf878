// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "room.hpp"

#include "prismllm/base/host_memory.hpp"
#include "prismllm/comm/agree.hpp"
#include "prismllm/device/rank_executor.hpp"
#include "prismllm/graph/memory.hpp"

namespace prismllm::emulation {
namespace {

std::int64_t peak_of(const graph::ExecutionGraph& graph, std::int64_t rank) {
    const std::int32_t number = class_of_ranks(graph)[static_cast<std::size_t>(rank)];
    return memory_peak(graph, graph.classes[static_cast<std::size_t>(number)]).bytes;
}

Status check(std::int64_t needed) {
    const std::optional<std::int64_t> left = available_memory_bytes();
    if (!left || needed <= *left) {
        return {};
    }
    constexpr double gib = 1 << 30;
    return fail(ErrorCode::resources,
                "the tensors of the real ranks on this machine sum up to {:.1f} GiB, and it has "
                "{:.1f} GiB left (a real rank holds its whole share of the model). Use fewer real "
                "ranks a machine, a smaller model, or cut it over more ranks.",
                static_cast<double>(needed) / gib, static_cast<double>(*left) / gib);
}

Status check(target::RankDevice device) {
    const Expected<int> count = device::count_devices(device);
    return count ? Status{} : tl::unexpected{count.error()};
}

}  // namespace

Status check_room(const graph::ExecutionGraph& graph, std::int64_t rank,
                  target::RankDevice device) {
    return device == target::RankDevice::host ? check(peak_of(graph, rank)) : check(device);
}

Status check_room(const comm::Communicator& world, const graph::ExecutionGraph& graph,
                  std::optional<std::int64_t> own, target::RankDevice device) {
    if (device != target::RankDevice::host) {
        return comm::agree(world, own ? check(device) : Status{});
    }
    const comm::Communicator machine = world.split_by_node();
    const std::int64_t needed =
        machine.reduce_all(own ? peak_of(graph, *own) : 0, comm::Reduction::sum);
    return comm::agree(world, check(needed));
}

}  // namespace prismllm::emulation
