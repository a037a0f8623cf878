// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The proof works on classes; here thousands of small random jobs are also run rank by rank by a
// plain interpreter, and both must say the same.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "prismllm/slicing/stitch.hpp"

#include "sketch.hpp"

namespace prismllm::slicing {
namespace {

using graph::CollectiveKind;
using graph::Op;
using graph::OpKind;

/// Repeats passes over all ranks and streams until nothing moves; every call is kept by name.
class Interpreter {
public:
    explicit Interpreter(const graph::ExecutionGraph& graph) : graph_{graph} {
        const auto classes = graph::class_of_ranks(graph);
        for (std::int64_t rank = 0; rank < graph.world_size; ++rank) {
            lanes_.push_back(make_lane(
                rank,
                graph.classes[static_cast<std::size_t>(classes[static_cast<std::size_t>(rank)])]
                    .ops));
        }
    }

    bool ends() {
        bool moved = true;
        while (moved) {
            moved = false;
            for (Lane& lane : lanes_) {
                for (std::size_t s = 0; s < lane.streams.size(); ++s) {
                    moved |= step(lane, s);
                }
            }
        }
        return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
            for (std::size_t s = 0; s < lane.streams.size(); ++s) {
                if (lane.at[s] < lane.streams[s].size()) {
                    return false;
                }
            }
            return true;
        });
    }

private:
    /// A point where ranks meet: family, group, sender, receiver (-1: collective), number.
    using Meeting = std::tuple<int, std::int64_t, std::int64_t, std::int64_t, int>;
    struct Entry {
        Op op;
        Meeting meeting;
    };
    struct Lane {
        std::int64_t rank = 0;
        std::array<std::vector<Entry>, 2> streams;
        std::array<std::size_t, 2> at{};
        std::set<std::uint32_t> events;
    };

    Lane make_lane(std::int64_t rank, const std::vector<Op>& ops) {
        Lane lane;
        lane.rank = rank;
        std::map<Meeting, int> count;
        for (const Op& op : ops) {
            Entry entry{op, {}};
            if (op.kind == OpKind::communicate) {
                Meeting m = meeting_of(rank, graph_.communications[op.index]);
                // A rank is the sender or the receiver of a pair, never both, so one count a name.
                std::get<4>(m) = count[m]++;
                entry.meeting = m;
            }
            lane.streams[op.stream].push_back(entry);
        }
        return lane;
    }

    Meeting meeting_of(std::int64_t rank, const graph::Communication& call) const {
        const graph::Family& family = graph_.families[call.family];
        const auto membership = graph::membership_of(family, graph_.world_size);
        const auto r = static_cast<std::size_t>(rank);
        const std::int64_t group = membership.group[r];
        const std::int64_t n = family.group_size(group);
        const std::int64_t peer = ((membership.position[r] + call.peer_delta) % n + n) % n;
        switch (call.kind) {
            case CollectiveKind::send:
                return {call.family, group, membership.position[r], peer, 0};
            case CollectiveKind::recv:
                return {call.family, group, peer, membership.position[r], 0};
            default:
                return {call.family, group, -1, -1, 0};
        }
    }

    bool is_over(const Lane& lane, const Entry& entry) {
        const graph::Communication& call = graph_.communications[entry.op.index];
        const std::size_t here = started_[entry.meeting].size();
        if (call.kind == CollectiveKind::send) {
            return graph::payload_bytes(call, 1) <= graph_.eager_bytes || here == 2;
        }
        if (call.kind == CollectiveKind::recv) {
            return here == 2;
        }
        const auto group = std::get<1>(entry.meeting);
        return static_cast<std::int64_t>(here) == graph_.families[call.family].group_size(group) &&
               lane.rank >= 0;
    }

    bool step(Lane& lane, std::size_t s) {
        std::vector<Entry>& stream = lane.streams[s];
        std::size_t& at = lane.at[s];
        if (at == stream.size()) {
            return false;
        }
        const Entry& entry = stream[at];
        if (entry.op.kind == OpKind::wait && !lane.events.contains(entry.op.instance)) {
            return false;
        }
        if (entry.op.kind == OpKind::record) {
            lane.events.insert(entry.op.instance);
        }
        if (entry.op.kind != OpKind::communicate) {
            ++at;
            return true;
        }
        std::size_t end = at + 1;
        while (entry.op.instance != 0 && end < stream.size() &&
               stream[end].op.kind == OpKind::communicate &&
               stream[end].op.instance == entry.op.instance) {
            ++end;
        }
        bool moved = false;
        for (std::size_t i = at; i < end; ++i) {
            moved |= started_[stream[i].meeting].insert(lane.rank).second;
        }
        for (std::size_t i = at; i < end; ++i) {
            if (!is_over(lane, stream[i])) {
                return moved;
            }
        }
        at = end;
        return true;
    }

    const graph::ExecutionGraph& graph_;
    std::vector<Lane> lanes_;
    std::map<Meeting, std::set<std::int64_t>> started_;
};

/// One call of a random job.
struct Part {
    int what =
        0;  ///< 0 recv from before, 1 send on, 2 tp, 3 world, 4 recv from behind, 5 send back
};

/// A pipeline of tp pairs whose stages issue the calls they must, in random order, on random
/// streams, with random batches and events. Middle stages are equal or not.
graph::ExecutionGraph random_job(std::mt19937& random) {
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Sketch sketch;
    const std::int64_t stages = 2 + pick(4);
    const auto tp = sketch.family("tp", {{2, 1}}, {{stages, 2}});
    const auto pp = sketch.family("pp", {{stages, 2}}, {{2, 1}});
    const auto back = sketch.family("back", {{stages, 2}}, {{2, 1}});
    const auto world = sketch.family("world", {{2 * stages, 1}});
    const int messages = 1 + pick(2);
    const int backward = pick(2);
    const int reductions = pick(2);
    const int worlds = pick(2);
    const bool equal_middle = pick(2) == 0;
    const int disorder = pick(3);
    const int streams = 1 + pick(2);
    Script middle = sketch.script();
    for (std::int64_t stage = 0; stage < stages; ++stage) {
        std::vector<Part> parts;
        for (int m = 0; m < messages; ++m) {
            if (stage > 0) {
                parts.push_back({0});
            }
            parts.insert(parts.end(), static_cast<std::size_t>(reductions), Part{2});
            if (stage + 1 < stages) {
                parts.push_back({1});
            }
        }
        for (int m = 0; m < backward; ++m) {
            if (stage + 1 < stages) {
                parts.push_back({4});
            }
            if (stage > 0) {
                parts.push_back({5});
            }
        }
        parts.insert(parts.end(), static_cast<std::size_t>(worlds), Part{3});
        for (int swap = 0; swap < disorder; ++swap) {
            const auto i = static_cast<std::size_t>(pick(static_cast<int>(parts.size())));
            const auto j = static_cast<std::size_t>(pick(static_cast<int>(parts.size())));
            std::swap(parts[i], parts[j]);
        }
        Script script = sketch.script();
        std::uint32_t events = 0;
        for (const Part& part : parts) {
            script.on(static_cast<std::uint8_t>(pick(streams)));
            if (events > 0 && pick(3) == 0) {
                script.wait(static_cast<std::uint32_t>(pick(static_cast<int>(events))));
            }
            pick(3) == 0 ? script.begin() : (pick(2) == 0 ? script.end() : script);
            const std::int64_t elements = 10;
            switch (part.what) {
                case 0:
                    script.recv(pp, -1, elements);
                    break;
                case 1:
                    script.send(pp, 1, elements);
                    break;
                case 2:
                    script.all_reduce(tp, 1);
                    break;
                case 3:
                    script.all_reduce(world, 1);
                    break;
                case 4:
                    script.recv(back, 1, 2 * elements);
                    break;
                default:
                    script.send(back, -1, 2 * elements);
                    break;
            }
            if (pick(3) == 0) {
                script.record(events++);
            }
        }
        const bool is_middle = stage > 0 && stage + 1 < stages;
        if (is_middle && equal_middle) {
            middle = stage == 1 ? script : middle;
            script = middle;
        }
        sketch.ranks(2, script);
    }
    graph::ExecutionGraph graph = std::move(sketch).graph();
    graph.eager_bytes = std::array<std::int64_t, 3>{0, 20, 40}[static_cast<std::size_t>(pick(3))];
    return graph;
}

TEST(Oracle, AgreesWithARankByRankInterpreterOnRandomJobs) {
    std::mt19937 random{20260801};
    int passed = 0;
    int hung = 0;
    int split = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const graph::ExecutionGraph graph = random_job(random);
        ASSERT_TRUE(graph::check_consistent(graph).has_value()) << trial;

        const std::vector<Defect> defects = find_defects(graph);
        const bool ends = Interpreter{graph}.ends();

        ASSERT_EQ(defects.empty(), ends)
            << "trial " << trial << ": " << (defects.empty() ? std::string{} : defects[0].text);
        for (const Defect& defect : defects) {
            ASSERT_EQ(defect.kind, DefectKind::cyclic_wait) << trial << ": " << defect.text;
        }
        ++(ends ? passed : hung);
        split += needs_position_split(graph) ? 1 : 0;
    }
    // The jobs must not be one-sided, or agreement would mean little.
    EXPECT_GT(passed, 500);
    EXPECT_GT(hung, 500);
    EXPECT_GT(split, 50);
}

TEST(Oracle, MarkedJobsNeedNoFurtherMark) {
    std::mt19937 random{7};
    for (int trial = 0; trial < 500; ++trial) {
        graph::ExecutionGraph graph = random_job(random);
        if (!prove_and_mark(graph).has_value()) {
            continue;
        }
        const graph::ExecutionGraph marked = graph;
        ASSERT_TRUE(prove_and_mark(graph).has_value());
        ASSERT_EQ(graph, marked) << trial;
    }
}

}  // namespace
}  // namespace prismllm::slicing
