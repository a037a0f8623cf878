// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/store/provenance.hpp
/// How a file came to be. It is the only part of a file that may differ between equal runs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace prismllm::store {

/// What real ranks had to do with the emulation, sums over them: on the wall's clock answers that
/// they waited for, on the virtual one calls that they handed over.
struct RealFacts {
    std::int64_t awaited = 0;    ///< answers
    std::int64_t late = 0;       ///< those that came after the instant they name
    std::int64_t late_ps = 0;    ///< by so much, in all
    std::int64_t latest_ps = 0;  ///< and at most
    std::int64_t held_ps = 0;    ///< by so much the emulated clock was held back behind the wall's
    std::int64_t handed_over = 0;
    std::int64_t handing_over_ps = 0;  ///< wall time of that
    bool operator==(const RealFacts&) const = default;
};

/// What the run itself took; zero where it does not apply (a graph file, a serial step).
struct RunFacts {
    std::int64_t host_ranks = 0;
    double slicing_wall_s = 0;
    double engine_wall_s = 0;
    double total_wall_s = 0;  ///< until the file is written
    double state_bytes_per_participant = 0;
    RealFacts real;
    bool operator==(const RunFacts&) const = default;
};

struct Provenance {
    std::string deck_text;  ///< resolved deck, defaults filled in
    std::string deck_sha256;
    std::string command_line;
    std::string software_version;
    std::string date;                                        ///< ISO 8601, UTC
    std::string machine;                                     ///< host name of the first process
    std::vector<std::pair<std::string, std::string>> extra;  ///< library versions, job id, ...
    RunFacts run;
    bool operator==(const Provenance&) const = default;
};

}  // namespace prismllm::store
