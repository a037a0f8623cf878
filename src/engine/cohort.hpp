// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A cohort and its actors: the state of the lanes of one class on this proxy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <vector>

#include "prismllm/engine/engine.hpp"

#include "lanes.hpp"
#include "program.hpp"

namespace prismllm::engine {

/// Vectors of one int64 a lane, reused last in first out so that they stay in the cache.
class VectorPool {
public:
    explicit VectorPool(std::size_t lanes) : lanes_{lanes} {}
    [[nodiscard]] std::int64_t* take();
    void give(std::int64_t* vector) { free_.push_back(vector); }
    /// Vectors ever made: the peak of those in use.
    [[nodiscard]] std::size_t made() const { return owned_.size(); }

private:
    struct Free {
        void operator()(std::int64_t* p) const { ::operator delete[](p, alignment); }
        static constexpr std::align_val_t alignment{64};
    };
    std::size_t lanes_;
    std::vector<std::unique_ptr<std::int64_t[], Free>> owned_;
    std::vector<std::int64_t*> free_;
};

/// Events that are recorded and still waited for: an open-addressed table, at most half full.
class LiveEvents {
public:
    struct Entry {
        std::uint32_t event = 0;
        std::uint32_t waits = 0;  ///< still to come; 0: the entry is free
        std::int64_t* slot = nullptr;
        const lanes::Mesh* level = nullptr;  ///< the slot holds one value a group of this mesh
    };
    LiveEvents() : entries_(16) {}
    [[nodiscard]] Entry* find(std::uint32_t event) {
        for (std::size_t i = home(event); entries_[i].waits > 0; i = after(i)) {
            if (entries_[i].event == event) {
                return &entries_[i];
            }
        }
        return nullptr;
    }
    void enter(const Entry& entered);
    /// The last wait is over. Entries move.
    void remove(const Entry& entry);
    /// Entries that hold one value a lane.
    [[nodiscard]] std::size_t live() const { return live_; }
    [[nodiscard]] std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

private:
    [[nodiscard]] std::size_t home(std::uint32_t event) const {
        return (event * 0x9e3779b1U >> 8) & (entries_.size() - 1);  // Fibonacci hashing
    }
    [[nodiscard]] std::size_t after(std::size_t i) const { return (i + 1) & (entries_.size() - 1); }

    std::vector<Entry> entries_;
    std::size_t used_ = 0;
    std::size_t live_ = 0;
};

/// How the lanes of a cohort stand in the groups of one family.
struct FamilySite {
    enum class Form : std::uint8_t { mesh, single, table };
    bool reachable = true;  ///< false: a lane is in no group; its calls never end
    bool alone = false;     ///< no other cohort or proxy is concerned: calls end at once
    Form form = Form::table;
    bool has_mesh = false;              ///< the lanes that share a group form a mesh
    lanes::Mesh mesh;                   ///< form mesh is for calls that end at once
    std::vector<std::uint32_t> groups;  ///< form table: [lane]; single: one entry
    std::size_t group_count = 0;
    int component = -1;
    LaneShapes shapes;
};

/// How the lanes of a cohort reach the peers of one port.
struct PortSite {
    bool reachable = true;
    std::vector<int> links;  ///< they partition the lanes
    LaneShapes shapes;
};

enum class ActorState : std::uint8_t {
    runnable,
    event,     ///< waits for an event of its cohort
    turn,      ///< waits until earlier calls of its communicator have started
    calls,     ///< waits for calls to end
    deferred,  ///< holds back a record that nobody asks for yet
    finished,
};

struct Cohort;

/// One stream of a cohort. Its clock is a vector over the lanes.
struct Actor {
    const StreamProgram* program = nullptr;
    Cohort* cohort = nullptr;
    std::int64_t* clock = nullptr;
    std::int64_t* ends = nullptr;        ///< latest end of the calls under way, when kept apart
    const lanes::Mesh* level = nullptr;  ///< groups within which all clocks are known to agree
    std::uint32_t pc = 0;
    std::int64_t live_start = 0;  ///< of a live rank: where the segment that goes on began,
    std::int64_t live_work = 0;   ///< and the work in it so far, before its factor
    std::uint32_t posted = 0;     ///< calls of the current instruction already posted
    std::uint32_t pending = 0;    ///< parts of them that have not ended
    ActorState state = ActorState::runnable;
    bool accounted = false;  ///< compute stream, with accounting on
    bool demanded = false;   ///< its next record may not be held back

    [[nodiscard]] const Instruction& current() const { return program->code[pc]; }
    /// Where the ends of calls go: apart when the ready times are needed to the end.
    [[nodiscard]] std::int64_t* landing() const { return ends != nullptr ? ends : clock; }
};

struct Account {
    std::int64_t* communication = nullptr;
    std::int64_t* skew = nullptr;
};

struct Cohort {
    Cohort(std::int32_t global_number, const Program& its_program, const CallTable& its_table,
           std::size_t lane_count)
        : number{global_number},
          program{&its_program},
          table{&its_table},
          lanes{lane_count},
          pool{lane_count},
          level_pool{lane_count / least_level} {}

    /// Events right after a collective of at least so many lanes a group are kept as one value
    /// a group: a job has dozens of them alive (buckets of gradients).
    static constexpr std::size_t least_level = 16;

    std::int32_t number;  ///< in the roster
    const Program* program;
    const CallTable* table;
    std::size_t lanes;
    std::vector<std::int32_t> ranks;  ///< [lane], ascending
    VectorPool pool;
    VectorPool level_pool;
    LiveEvents events;
    std::deque<Actor> actors;                          ///< as Program::streams
    std::vector<std::uint32_t> factor;                 ///< [lane]; empty: all 1
    std::vector<std::uint32_t> key_first, key_second;  ///< [lane] of the jitter; empty: none
    std::vector<FamilySite> families;                  ///< as CallTable::families
    std::vector<PortSite> ports;                       ///< as CallTable::ports
    std::vector<std::int64_t> family_turn, port_turn;  ///< calls started so far
    std::vector<Account> accounts;                     ///< as Program::account_families
    std::int64_t* other = nullptr;                     ///< waits of the compute stream for kernels
    std::vector<std::size_t> observed;                 ///< lanes whose timeline is kept
    bool queued = false;
    bool woken = false;  ///< an actor became runnable since last looked at

    /// Vector of `other`, made when first asked for.
    [[nodiscard]] std::int64_t* other_waits();
    void book_other(std::size_t lane, std::int64_t time_ps) { other_waits()[lane] += time_ps; }
    [[nodiscard]] bool is_observed(std::size_t lane) const;
    /// Bytes of state; the compiled program, which all lanes of a class share, is not part of it.
    [[nodiscard]] std::size_t state_bytes() const;
};

/// Cohorts that have something to run, first in first out. A cohort stays `queued` while it is
/// being advanced; whoever advances it clears the mark.
class WorkList {
public:
    void push(Cohort& cohort) {
        cohort.woken = true;
        if (!cohort.queued) {
            cohort.queued = true;
            queue_.push_back(&cohort);
        }
    }
    [[nodiscard]] Cohort* pop() {
        if (queue_.empty()) {
            return nullptr;
        }
        Cohort* cohort = queue_.front();
        queue_.pop_front();
        return cohort;
    }

private:
    std::deque<Cohort*> queue_;
};

/// Parts of a collective's or pair's costs, lane by lane.
class LaneCost {
public:
    LaneCost(const CostTable& costs, std::uint32_t communication, const LaneShapes& shapes)
        : costs_{costs}, communication_{communication}, shapes_{shapes} {}
    [[nodiscard]] bool is_uniform() const { return shapes_.lanes.empty(); }
    [[nodiscard]] std::int64_t uniform() const {
        return costs_.call(communication_, shapes_.uniform);
    }
    [[nodiscard]] std::int64_t of(std::size_t lane) const {
        return costs_.call(communication_, shapes_.of(lane));
    }

private:
    const CostTable& costs_;
    std::uint32_t communication_;
    const LaneShapes& shapes_;
};

/// Ops of observed lanes, in the order in which they end.
class Timeline {
public:
    void add(const Cohort& cohort, std::size_t lane, std::uint32_t op, std::int64_t start,
             std::int64_t end) {
        entries.push_back({cohort.ranks[lane], op, start, end, iteration});
    }
    std::vector<TimelineEntry> entries;
    std::int32_t iteration = 0;
};

}  // namespace prismllm::engine
