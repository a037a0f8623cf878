// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A class's op list compiled into one instruction list a stream.
#pragma once

#include <cstdint>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

#include "call_table.hpp"
#include "cost_table.hpp"

namespace prismllm::engine {

enum class Step : std::uint8_t {
    segment,       ///< kernels of one stream with nothing to wait for between them
    inner_record,  ///< event inside a segment; follows its segment
    record,
    wait,
    calls,  ///< one communication call, or a batch that starts together
};

struct Instruction {
    Step step = Step::segment;
    std::uint8_t recorder = 0;      ///< wait: place in Program::streams of the event's stream
    bool continues = false;         ///< segment: goes on with the one before, see compile
    std::uint32_t attribution = 0;  ///< wait, calls: into Program::attributions
    std::uint32_t op = 0;           ///< first op, index in the class's op list
    std::uint32_t index = 0;        ///< segment: first kernel; record, wait: event; calls: first
    std::uint32_t count = 0;        ///< segment: kernels; inner_record: kernels before it; calls
    std::uint32_t extra = 0;        ///< segment: inner records; record: number of waits
    std::int64_t work_ps = 0;       ///< segment: all kernels; inner_record: those before it
};
static_assert(sizeof(Instruction) == 32);

struct KernelOp {
    std::uint32_t op = 0;
    std::uint32_t kernel = 0;
};

enum class CallKind : std::uint8_t { collective, send, recv };

struct CallOp {
    std::uint32_t op = 0;
    std::uint32_t communication = 0;
    std::uint32_t sequence = 0;  ///< number within the iteration, of its family or port
    std::uint16_t place = 0;     ///< index in CallTable::families or ports
    CallKind kind = CallKind::collective;
    bool eager = false;
    bool ordered = false;
};

/// The call that a wait of the compute stream is booked to.
struct Attribution {
    static constexpr std::uint16_t other = 0xffff;
    std::uint32_t communication = 0;
    std::uint16_t place = 0;
    std::uint16_t account = other;  ///< index in Program::account_families
    CallKind kind = CallKind::collective;
};

struct StreamProgram {
    std::uint8_t stream = 0;
    std::vector<Instruction> code;
    std::vector<KernelOp> kernels;
    std::vector<CallOp> calls;
};

struct Program {
    std::int32_t rank_class = 0;
    std::vector<StreamProgram> streams;  ///< used ones, ascending
    /// [0]: none. Others appear where a wait of the compute stream may be due to the call.
    std::vector<Attribution> attributions;
    std::vector<graph::FamilyIndex> account_families;  ///< the compute stream waits for these
    std::int64_t timed_ops = 0;                        ///< of one lane in one iteration
};

/// Compile one class. Linear in its ops.
/// @param fuse false: every kernel is a segment of its own; it `continues` the one before where
/// they
///        would be one. Factors are applied to the work of all of them so far, as they are to that
///        of a fused segment, so that rounding is the same.
[[nodiscard]] Program compile(const graph::ExecutionGraph& graph, const CostTable& costs,
                              std::int32_t rank_class, const CallTable& table, bool fuse = true);

}  // namespace prismllm::engine
