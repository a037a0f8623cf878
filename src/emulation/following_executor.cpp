// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "following_executor.hpp"

#include <utility>

#include "prismllm/base/error.hpp"
#include "prismllm/graph/describe.hpp"

namespace prismllm::emulation {
namespace {

using graph::Op;
using graph::OpKind;

std::int32_t class_number(const graph::ExecutionGraph& graph, std::int64_t rank) {
    for (const graph::RankRun& run : graph.rank_runs) {
        if (rank >= run.first && rank < run.first + run.count) {
            return run.rank_class;
        }
    }
    throw SystemError{ErrorCode::internal, fmt::format("no class holds rank {}", rank)};
}

std::string on(program::Stream stream) {
    return fmt::format(" on stream '{}'", program::name_of(stream));
}

}  // namespace

FollowingExecutor::FollowingExecutor(program::Executor& inner, const graph::ExecutionGraph& graph,
                                     std::int64_t rank, Gauges gauges)
    : inner_{inner},
      graph_{graph},
      rank_{rank},
      class_number_{class_number(graph, rank)},
      ops_{graph.classes[static_cast<std::size_t>(class_number_)].ops},
      gauges_{std::move(gauges)},
      kernel_ps_(ops_.size()),
      allocated_(ops_.size()) {}

void FollowingExecutor::begin_step() {
    if (step_++ == 0) {
        head_ = at_;
    }
    at_ = head_;
    buffers_.begin();
    events_.begin();
    batches_.begin();
    if (pace_ != nullptr) {
        pace_->begin_step();
    }
}

void FollowingExecutor::end_step() {
    if (at_ < ops_.size()) {
        differ("the end of the step");
    }
    if (pace_ != nullptr) {
        pace_->end_step();
    }
}

bool FollowingExecutor::Numbering::agrees(std::uint32_t actual, std::uint32_t listed) {
    if (!known_) {
        known_ = true;
        difference_ = actual - listed;
    }
    return actual - listed == difference_;
}

std::string FollowingExecutor::describe(std::size_t op) const {
    if (op >= ops_.size()) {
        return "the end of the step";
    }
    const Op& listed = ops_[op];
    const auto number = static_cast<std::uint32_t>(op);
    const std::string place = graph::place_of(graph_, class_number_, number);
    switch (listed.kind) {
        case OpKind::kernel:
            return fmt::format("kernel {} [{}]", name_of(graph_.kernels[listed.index].kind), place);
        case OpKind::communicate:
            return fmt::format("{} in {}", graph::describe_op(graph_, class_number_, number),
                               communicator(graph_.communications[listed.index].family));
        case OpKind::allocate:
        case OpKind::release:
            return fmt::format("{} of tensor '{}' [{}]", name_of(listed.kind),
                               graph_.tensors[listed.index].name, place);
        case OpKind::record:
        case OpKind::wait:
            return fmt::format("{} of event {} [{}]", name_of(listed.kind), listed.instance, place);
    }
    return place;
}

std::string FollowingExecutor::communicator(graph::FamilyIndex family) const {
    if (family >= graph_.families.size()) {
        return fmt::format("family {}", family);
    }
    const graph::Membership members = membership_of(graph_.families[family], graph_.world_size);
    const std::int32_t group = members.group[static_cast<std::size_t>(rank_)];
    if (group < 0) {
        return graph_.families[family].name + " (of which it is no member)";
    }
    return fmt::format("{} ({})", graph::communicator_name(graph_.families[family], group),
                       graph::name_ranks(graph_.families[family].group_ranks(group)));
}

/// Calls of the family that the list has before this place: the sequence number.
std::int64_t FollowingExecutor::calls_before(std::size_t op, graph::FamilyIndex family) const {
    std::int64_t calls = 0;
    for (std::size_t i = 0; i < op; ++i) {
        if (ops_[i].kind == OpKind::communicate &&
            graph_.communications[ops_[i].index].family == family) {
            ++calls;
        }
    }
    return calls;
}

void FollowingExecutor::differ(const std::string& came) const {
    std::string number;
    if (at_ < ops_.size() && ops_[at_].kind == OpKind::communicate) {
        const graph::FamilyIndex family = graph_.communications[ops_[at_].index].family;
        number = fmt::format(", call {} of its communicator", calls_before(at_, family));
    }
    throw SystemError{
        ErrorCode::job_failed,
        fmt::format("real rank {} leaves the job in iteration {}: it issues {}, where its peers "
                    "expect {}{}. Make the rank run the program of the graph, or slice the program "
                    "that it runs.",
                    rank_, std::max<std::int64_t>(step_ - 1, 0), came, describe(at_), number)};
}

/// The listed op that is due, if it is of this kind and stream.
const Op* FollowingExecutor::due(OpKind kind, program::Stream stream) const {
    if (at_ >= ops_.size()) {
        return nullptr;
    }
    const Op& listed = ops_[at_];
    return listed.kind == kind && listed.stream == static_cast<std::uint8_t>(stream) ? &listed
                                                                                     : nullptr;
}

void FollowingExecutor::done() {
    allocated_[at_] = gauges_.allocated();
    at_ = at_ + 1;
    if (pace_ != nullptr && open_batch_ == 0) {
        pace_->done(at_);
    }
}

/// A timed op.
template <class Body>
void FollowingExecutor::paced(const Op& listed, const Body& body) {
    if (pace_ == nullptr) {
        body();
        return;
    }
    pace_->before(at_, listed);
    body();
    const std::int64_t took = pace_->behind(at_, listed);
    if (listed.kind == OpKind::kernel) {
        const auto own = gauges_.kernel_ps ? gauges_.kernel_ps() : std::nullopt;
        kernel_ps_[at_] = own.value_or(took);
    }
}

program::Buffer FollowingExecutor::allocate(std::string_view name, graph::TensorRole role,
                                            graph::DType dtype, std::int64_t elements) {
    const Op* listed = due(OpKind::allocate, program::Stream::compute);
    const std::int64_t bytes = elements * size_of(dtype);
    const auto is_listed = [&] {
        const graph::Tensor& tensor = graph_.tensors[listed->index];
        return tensor.bytes == bytes && tensor.role == role && tensor.name == name;
    };
    if (listed == nullptr || !is_listed()) {
        differ(fmt::format("allocate of tensor '{}' ({} bytes)", name, bytes));
    }
    const program::Buffer buffer = inner_.allocate(name, role, dtype, elements);
    if (!buffers_.agrees(buffer.id, listed->instance)) {
        differ(fmt::format("allocate of tensor '{}' out of turn", name));
    }
    done();
    return buffer;
}

void FollowingExecutor::release(program::Buffer buffer) {
    const Op* listed = due(OpKind::release, program::Stream::compute);
    if (listed == nullptr || !buffers_.agrees(buffer.id, listed->instance)) {
        differ(fmt::format("release of tensor number {}", buffer.id));
    }
    inner_.release(buffer);
    done();
}

void FollowingExecutor::launch(program::Stream stream, const graph::Kernel& kernel,
                               std::span<const program::Buffer> reads,
                               std::span<const program::Buffer> writes) {
    const Op* listed = due(OpKind::kernel, stream);
    if (listed == nullptr || graph_.kernels[listed->index] != kernel) {
        differ(fmt::format("kernel {}{}", name_of(kernel.kind), on(stream)));
    }
    paced(*listed, [&] { inner_.launch(stream, kernel, reads, writes); });
    done();
}

void FollowingExecutor::communicate(program::Stream stream, const graph::Communication& call,
                                    program::Buffer in, program::Buffer out) {
    const Op* listed = due(OpKind::communicate, stream);
    const auto is_in_batch = [&] {
        return open_batch_ == 0
                   ? listed->instance == 0
                   : listed->instance != 0 && batches_.agrees(open_batch_, listed->instance);
    };
    if (listed == nullptr || graph_.communications[listed->index] != call || !is_in_batch()) {
        differ(fmt::format("{}{} in {}", graph::describe(call), on(stream),
                           communicator(call.family)));
    }
    paced(*listed, [&] { inner_.communicate(stream, call, in, out); });
    done();
}

void FollowingExecutor::begin_batch() {
    inner_.begin_batch();
    open_batch_ = ++batch_;
}

void FollowingExecutor::end_batch() {
    inner_.end_batch();
    open_batch_ = 0;
    if (pace_ != nullptr) {
        pace_->done(at_);
    }
}

program::Event FollowingExecutor::record(program::Stream stream) {
    const Op* listed = due(OpKind::record, stream);
    program::Event event;
    if (listed != nullptr) {
        paced(*listed, [&] { event = inner_.record(stream); });
    }
    if (listed == nullptr || !events_.agrees(event.id, listed->instance)) {
        differ("record of an event" + on(stream));
    }
    done();
    return event;
}

void FollowingExecutor::wait(program::Stream stream, program::Event event) {
    const Op* listed = due(OpKind::wait, stream);
    if (listed == nullptr || !events_.agrees(event.id, listed->instance)) {
        differ("wait for an event" + on(stream));
    }
    paced(*listed, [&] { inner_.wait(stream, event); });
    done();
}

}  // namespace prismllm::emulation
