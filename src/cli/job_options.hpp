// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What several subcommands share: naming a deck, provenance, the emulating half of `run`.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "prismllm/comm/communicator.hpp"
#include "prismllm/deck/deck.hpp"
#include "prismllm/emulation/run.hpp"
#include "prismllm/store/provenance.hpp"

namespace prismllm::cli {

struct DeckOptions {
    std::string path;
    std::vector<std::string> overrides;

    void add_to(CLI::App& app);
    [[nodiscard]] Expected<deck::Deck> load() const { return deck::load(path, overrides); }
};

struct ResultOptions {
    std::string output;  ///< empty: derived from the input's name
    std::string run_dir = ".";
    bool json = false;

    void add_to(CLI::App& app);
    /// `output`, or <run dir>/<stem of input>.result.h5.
    [[nodiscard]] std::string path_for(const std::string& input) const;
};

[[nodiscard]] store::Provenance make_provenance(const deck::Deck& deck);

/// Emulate a graph everybody holds, write the result, report it on process 0.
/// @collective
[[nodiscard]] Status emulate_and_report(const comm::Communicator& world,
                                        const graph::ExecutionGraph& graph, const deck::Deck& deck,
                                        store::Provenance provenance, const ResultOptions& options,
                                        const std::string& path, double wall_before);

}  // namespace prismllm::cli
