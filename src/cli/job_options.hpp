// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What several subcommands share: naming a deck, provenance, the emulating half of `run`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "prismllm/comm/communicator.hpp"
#include "prismllm/deck/deck.hpp"
#include "prismllm/emulation/run.hpp"
#include "prismllm/store/provenance.hpp"

namespace CLI {  // its header is expensive to read
class App;
class Option;
}  // namespace CLI

namespace prismllm::cli {

/// What process 0 makes, or its error, on all processes. Only process 0 calls `make`.
/// @collective
[[nodiscard]] Expected<std::string> from_root(const comm::Communicator& world,
                                              const std::function<Expected<std::string>()>& make);

struct DeckOptions {
    std::string path;
    std::vector<std::string> overrides;

    void add_to(CLI::App& app);
    /// Where the deck lies: `path`, or below the inputs that were installed with the program.
    [[nodiscard]] std::string file() const;
    [[nodiscard]] Expected<deck::Deck> load() const;
    /// The deck as process 0 reads it, the same on all processes. @collective
    [[nodiscard]] Expected<deck::Deck> load_on_all(const comm::Communicator& world) const;
};

/// Slicing a deck with costs that were measured before.
struct CostOptions {
    std::string measured;  ///< graph file; empty: all costs are modelled

    CLI::Option* add_to(CLI::App& app);
    /// The proved graph. @local
    [[nodiscard]] Expected<graph::ExecutionGraph> slice(const deck::Deck& deck) const;
    /// changed_keys, and the costs where they are not the deck's.
    [[nodiscard]] std::string changed(const std::vector<std::string>& overrides) const;
};

struct ResultOptions {
    std::string output;  ///< empty: derived from the input's name
    std::string run_dir = ".";
    bool json = false;

    void add_to(CLI::App& app);
    /// `output`, or <run dir>/<stem of input>.result.h5.
    [[nodiscard]] std::string path_for(const std::string& input) const;
    /// Make the run directory, and refuse a path that would destroy something.
    [[nodiscard]] Status prepare(const std::string& path,
                                 const std::vector<std::string>& inputs) const;
};

[[nodiscard]] store::Provenance make_provenance(const deck::Deck& deck);

/// Keys among the overrides that make another job of a published one, as "a, b"; iterations,
/// seeds and timelines do not.
[[nodiscard]] std::string changed_keys(const std::vector<std::string>& overrides);

/// Where processes could not be pinned as they should.
void warn_of_placement(const emulation::ProcessPlacement& placement);

/// Emulate a graph everybody holds, write the result, report it on process 0.
/// @param changed keys that --set changed; where there are any, nothing is compared with the
///        published run.
/// @param program what real ranks execute; null where there can be none.
/// @collective
[[nodiscard]] Status emulate_and_report(const comm::Communicator& world,
                                        const graph::ExecutionGraph& graph, const deck::Deck& deck,
                                        store::Provenance provenance, const ResultOptions& options,
                                        const std::string& path, const std::string& changed,
                                        double wall_before,
                                        const emulation::RealProgram* program = nullptr);

}  // namespace prismllm::cli
