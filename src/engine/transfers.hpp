// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Sends and receives. A link joins the lanes of one cohort that send through one port to the
/// lanes of another that receive; the n-th send of a link meets its n-th receive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "cohort.hpp"
#include "flights.hpp"
#include "roster.hpp"

namespace prismllm::engine {

class Transfers {
public:
    Transfers(const CostTable& costs, Flights& flights, Calls& calls)
        : costs_{costs}, flights_{flights}, calls_{calls} {}

    /// Find the links and tell every local cohort which of them its ports use.
    /// @param local [cohort of the roster], null where it lives elsewhere.
    void set_up(const Roster& roster, std::span<Cohort* const> local);

    /// Post a send or receive. Adds its parts to the actor's pending ones; they end here or
    /// later.
    void post(Actor& actor, const CallOp& call);

    /// Await what other proxies will send during this iteration.
    void begin_iteration(std::int64_t iteration);

    /// Local cohorts that have not posted the other side of the actor's call. `remote` tells
    /// whether a cohort of another proxy has not.
    struct Missing {
        std::vector<const Cohort*> cohorts;
        bool remote = false;
    };
    [[nodiscard]] Missing missing_at(const Actor& actor, const CallOp& call) const;
    [[nodiscard]] std::size_t state_bytes() const;

private:
    /// One end of a link.
    struct End {
        Cohort* cohort = nullptr;          ///< null: on another proxy
        std::vector<std::uint32_t> lanes;  ///< [pair]; empty: pair i is lane i
        std::uint32_t calls = 0;           ///< an iteration
        std::uint32_t rendezvous_calls = 0;
        /// A posted call that has not met its counterpart.
        struct Posted {
            std::int64_t sequence = 0;
            Actor* actor = nullptr;
            const CallOp* call = nullptr;
        };
        std::vector<Posted> posted;
        /// Ready times that came before the call they meet: of eager sends, or from afar.
        struct Came {
            std::int64_t sequence = 0;
            std::vector<std::int64_t> ready;
        };
        std::deque<Came> came;
        std::int64_t awaited = 0;  ///< vectors still to come from the other proxy, this iteration

        [[nodiscard]] std::size_t lane(std::size_t pair) const {
            return lanes.empty() ? pair : lanes[pair];
        }
    };
    struct Link {
        std::size_t pairs = 0;
        int tag = 0;
        std::int32_t proxy = -1;  ///< the other one, -1: both ends are here
        End sender, receiver;
    };
    friend class LinkPlanner;

    [[nodiscard]] std::int64_t sequence_of(const Actor& actor, const CallOp& call) const;
    void post_on(Link& link, Actor& actor, const CallOp& call);
    /// A send and a receive that have met, with what each costs its lanes.
    struct Pair;
    void match(const Link& link, const End::Posted& send, const End::Posted& recv);
    [[nodiscard]] static bool is_plain(const Link& link, const Pair& pair);
    static void match_whole(const Link& link, const Pair& pair);
    void land(const Link& link, const End& end, const End::Posted& posted,
              const std::vector<std::int64_t>& peer_ready);
    [[nodiscard]] std::vector<std::int64_t> ready_times(const Link& link, const End& end,
                                                        const Actor& actor) const;
    void depart(Link& link, const End& end, const Actor& actor, std::int64_t sequence);
    void end_at_once(const Link& link, Actor& actor, const CallOp& call);
    void hold(const Link& link);
    void await(Link& link, End& end);
    void arrive(Link& link, End& end, std::vector<std::int64_t> values);

    const CostTable& costs_;
    Flights& flights_;
    Calls& calls_;
    std::deque<Link> links_;
    std::int64_t iteration_ = 0;
    std::size_t held_ = 0, peak_held_ = 0;
};

}  // namespace prismllm::engine
