// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>

#include "program.hpp"

namespace prismllm::engine {
namespace {

using graph::Op;
using graph::OpKind;

struct Event {
    std::uint32_t waits = 0;   ///< by other streams
    std::int16_t stream = -1;  ///< that records it
    std::uint32_t attribution = 0;
};

/// A stream's list while it is being written.
struct Building {
    StreamProgram out;
    bool used = false;
    std::uint32_t batch = 0;        ///< of the last instruction, 0: none
    std::uint32_t attribution = 0;  ///< what the stream last did or waited for
    std::uint32_t segment_op = 0;   ///< first op of the open segment
    std::uint32_t segment_first = 0;
    std::uint32_t segment_count = 0;  ///< 0: no segment is open
    std::int64_t segment_ps = 0;
    bool continues = false;             ///< the open segment
    std::vector<Instruction> inner;     ///< records with kernels after them
    std::vector<Instruction> trailing;  ///< records since the last kernel
};

class Compiler {
public:
    Compiler(const graph::ExecutionGraph& graph, const CostTable& costs, std::int32_t rank_class,
             const CallTable& table, bool fuse)
        : graph_{graph},
          costs_{costs},
          table_{table},
          fuse_{fuse},
          ops_{graph.classes[static_cast<std::size_t>(rank_class)].ops},
          streams_(graph.streams.size()),
          attribution_of_(graph.communications.size(), 0),
          family_sequence_(table.families.size(), 0),
          port_sequence_(table.ports.size(), 0) {
        program_.rank_class = rank_class;
        program_.attributions.emplace_back();
    }

    Program run() {
        count_waits();
        for (std::size_t i = 0; i < ops_.size(); ++i) {
            add(static_cast<std::uint32_t>(i), ops_[i]);
        }
        finish();
        return std::move(program_);
    }

private:
    /// A wait for an event of the same stream is no dependency: it neither counts nor parts a
    /// segment.
    [[nodiscard]] bool is_idle_wait(const Op& op) const {
        return events_[op.instance].stream == op.stream;
    }

    void count_waits() {
        for (const Op& op : ops_) {
            if (op.kind != OpKind::record && op.kind != OpKind::wait) {
                continue;
            }
            if (op.instance >= events_.size()) {
                events_.resize(std::max<std::size_t>(op.instance + 1, 2 * events_.size()));
            }
            Event& event = events_[op.instance];
            if (op.kind == OpKind::record) {
                event.stream = op.stream;
            } else if (!is_idle_wait(op)) {
                ++event.waits;
            }
        }
    }

    void add(std::uint32_t number, const Op& op) {
        if (op.kind == OpKind::allocate || op.kind == OpKind::release) {
            return;
        }
        ++program_.timed_ops;
        Building& b = streams_[op.stream];
        b.used = true;
        switch (op.kind) {
            case OpKind::kernel:
                return add_kernel(number, op, b);
            case OpKind::record:
                return add_record(number, op, b);
            case OpKind::wait:
                return add_wait(number, op, b);
            default:
                return add_call(number, op, b);
        }
    }

    void add_kernel(std::uint32_t number, const Op& op, Building& b) {
        if (!fuse_) {
            const bool continues = b.segment_count > 0;
            close_segment(b);
            b.continues = continues;
        }
        if (b.segment_count == 0) {
            b.segment_op = number;
            b.segment_first = static_cast<std::uint32_t>(b.out.kernels.size());
            b.segment_ps = 0;
        }
        b.inner.insert(b.inner.end(), b.trailing.begin(), b.trailing.end());
        b.trailing.clear();
        b.out.kernels.push_back({number, op.index});
        ++b.segment_count;
        b.segment_ps += costs_.kernel(op.index);
        b.batch = 0;
    }

    void add_record(std::uint32_t number, const Op& op, Building& b) {
        b.batch = 0;
        Event& event = events_[op.instance];
        event.attribution = op.stream == 0 ? 0 : b.attribution;
        if (event.waits == 0) {
            return;
        }
        Instruction record;
        record.step = Step::record;
        record.op = number;
        record.index = op.instance;
        record.count = b.segment_count;
        record.extra = event.waits;
        record.work_ps = b.segment_ps;
        if (b.segment_count > 0) {
            b.trailing.push_back(record);
        } else {
            b.out.code.push_back(record);
        }
    }

    void add_wait(std::uint32_t number, const Op& op, Building& b) {
        b.batch = 0;
        if (is_idle_wait(op)) {
            return;
        }
        close_segment(b);
        const Event& event = events_[op.instance];
        Instruction wait;
        wait.step = Step::wait;
        wait.recorder = static_cast<std::uint8_t>(event.stream);
        wait.op = number;
        wait.index = op.instance;
        if (op.stream == 0) {
            wait.attribution = event.attribution;
            open_account(wait.attribution);
        } else if (event.attribution != 0) {
            b.attribution = event.attribution;
        }
        b.out.code.push_back(wait);
    }

    void add_call(std::uint32_t number, const Op& op, Building& b) {
        close_segment(b);
        b.out.calls.push_back(call_op(number, op));
        const std::uint32_t attribution = attribution_of(b.out.calls.back());
        if (op.instance != 0 && op.instance == b.batch) {
            ++b.out.code.back().count;
            const auto cost = [&](std::uint32_t a) {
                return costs_.dearest(program_.attributions[a].communication);
            };
            if (cost(attribution) > cost(b.attribution)) {
                b.attribution = attribution;
            }
        } else {
            b.attribution = attribution;
            Instruction calls;
            calls.step = Step::calls;
            calls.op = number;
            calls.index = static_cast<std::uint32_t>(b.out.calls.size() - 1);
            calls.count = 1;
            b.out.code.push_back(calls);
        }
        if (op.stream == 0) {
            b.out.code.back().attribution = b.attribution;
            open_account(b.attribution);
        }
        b.batch = op.instance;
    }

    CallOp call_op(std::uint32_t number, const Op& op) {
        const graph::Communication& call = graph_.communications[op.index];
        CallOp out;
        out.op = number;
        out.communication = op.index;
        out.place = table_.place[op.index];
        if (!is_pairwise(call.kind)) {
            out.sequence = family_sequence_[out.place]++;
            out.ordered = table_.families[out.place].ordered;
            return out;
        }
        out.kind = call.kind == graph::CollectiveKind::send ? CallKind::send : CallKind::recv;
        out.eager = costs_.is_eager(op.index);
        out.sequence = port_sequence_[out.place]++;
        out.ordered = table_.ports[out.place].ordered;
        return out;
    }

    std::uint32_t attribution_of(const CallOp& call) {
        std::uint32_t& at = attribution_of_[call.communication];
        if (at == 0) {
            at = static_cast<std::uint32_t>(program_.attributions.size());
            program_.attributions.push_back(
                {call.communication, call.place, Attribution::other, call.kind});
        }
        return at;
    }

    /// The compute stream waits for this call's family: lanes keep an account of it.
    void open_account(std::uint32_t attribution) {
        Attribution& a = program_.attributions[attribution];
        if (attribution == 0 || a.account != Attribution::other) {
            return;
        }
        const graph::FamilyIndex family = graph_.communications[a.communication].family;
        auto& families = program_.account_families;
        auto found = std::find(families.begin(), families.end(), family);
        if (found == families.end()) {
            families.push_back(family);
            found = families.end() - 1;
        }
        a.account = static_cast<std::uint16_t>(found - families.begin());
    }

    static void close_segment(Building& b) {
        if (b.segment_count == 0) {
            return;
        }
        Instruction segment;
        segment.step = Step::segment;
        segment.continues = b.continues;
        segment.op = b.segment_op;
        segment.index = b.segment_first;
        segment.count = b.segment_count;
        segment.extra = static_cast<std::uint32_t>(b.inner.size());
        segment.work_ps = b.segment_ps;
        b.out.code.push_back(segment);
        for (Instruction& record : b.inner) {
            record.step = Step::inner_record;
        }
        b.out.code.insert(b.out.code.end(), b.inner.begin(), b.inner.end());
        b.out.code.insert(b.out.code.end(), b.trailing.begin(), b.trailing.end());
        b.inner.clear();
        b.trailing.clear();
        b.segment_count = 0;
        b.segment_ps = 0;
    }

    void finish() {
        std::vector<std::uint8_t> place_of(streams_.size(), 0);
        for (std::size_t s = 0; s < streams_.size(); ++s) {
            close_segment(streams_[s]);
            if (streams_[s].used) {
                place_of[s] = static_cast<std::uint8_t>(program_.streams.size());
                program_.streams.push_back(std::move(streams_[s].out));
                program_.streams.back().stream = static_cast<std::uint8_t>(s);
            }
        }
        for (StreamProgram& stream : program_.streams) {
            for (Instruction& instruction : stream.code) {
                if (instruction.step == Step::wait) {
                    instruction.recorder = place_of[instruction.recorder];
                }
            }
        }
    }

    const graph::ExecutionGraph& graph_;
    const CostTable& costs_;
    const CallTable& table_;
    const bool fuse_;
    const std::vector<Op>& ops_;
    Program program_;
    std::vector<Building> streams_;
    std::vector<Event> events_;
    std::vector<std::uint32_t> attribution_of_;  ///< [communication], 0: none yet
    std::vector<std::uint32_t> family_sequence_, port_sequence_;
};

}  // namespace

Program compile(const graph::ExecutionGraph& graph, const CostTable& costs, std::int32_t rank_class,
                const CallTable& table, bool fuse) {
    return Compiler{graph, costs, rank_class, table, fuse}.run();
}

}  // namespace prismllm::engine
